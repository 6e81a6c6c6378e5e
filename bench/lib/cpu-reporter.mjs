// Loaded into the service by the bench of anonymous requests: tells, when asked, the processor time that it has used so far.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.channel?.unref()
