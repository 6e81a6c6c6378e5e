/**
 * The processor time, in seconds, that this process uses until the work is done, including the service under test. Other load on the
 * machine makes work take longer, but hardly more processor time.
 */
export async function processorSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}
