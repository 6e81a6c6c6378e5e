import { Resolver } from 'node:dns/promises'

/** Looks up the TXT records of a name: empty if it has none, undefined if DNS did not answer. */
export type TxtLookup = (name: string) => Promise<string[] | undefined>

/** Queries these servers (`address` or `address:port`), or the system's if the list is empty. */
export function openTxtLookup(servers: readonly string[]): TxtLookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return async (name) => {
    try {
      const records = await resolver.resolveTxt(name)
      return records.map((chunks) => chunks.join(''))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : undefined
    }
  }
}
