// Loaded into the service by a benchmark: replies to each message with the processor time used so far.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.channel?.unref()
