import { hash, verify } from '@node-rs/argon2'
import { Failure } from './failure.ts'

/** OWASP's argon2id parameters (19 MiB, two passes); D-13. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashings that may wait for the thread pool; more would only time out there. */
const waiting_max = 64
let waiting = 0

async function inPool<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting >= waiting_max) throw new Failure('overloaded', { waiting }, { retry_after_seconds: 2 })
  waiting++
  try {
    return await work()
  } finally {
    waiting--
  }
}

/** Hashes a password for storage. Fails with `overloaded` when too many hashings wait. */
export const hashPassword = (password: string) => inPool(() => hash(password, parameters))

let decoy: Promise<string> | undefined

/**
 * Is this the password of the stored hash? Without a hash it does the same work and says no, so that an unknown
 * account answers in like time. Fails with `overloaded` when too many hashings wait.
 */
export async function passwordMatches(stored: string | undefined, password: string): Promise<boolean> {
  decoy ??= hash('no account has this', parameters)
  const against = stored ?? (await decoy)
  const matches = await inPool(() => verify(against, password))
  return matches && stored !== undefined
}
