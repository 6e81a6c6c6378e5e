/**
 * The processor time, in seconds, that this process spends until the work is done. The service under test is part of it. Other load
 * on the machine makes work take longer, but hardly makes it cost more.
 */
export async function processorSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}
