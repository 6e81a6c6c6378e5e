import { hash, verify } from '@node-rs/argon2'
import { Failure } from './failure.ts'

/** What one hashing costs whoever does it: memory in KiB, passes over it, threads. */
export interface HashingCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** OWASP's argon2id parameters (19 MiB, two passes); D-13. */
export const owasp_cost: HashingCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashings that may wait for the thread pool; more would only time out there. */
const queue_max = 64

export interface Passwords {
  /** Hashes a password for storage. Fails with `overloaded` when too many hashings wait. */
  hash(password: string): Promise<string>
  /**
   * Is this the password of the stored hash? Without a hash it does the same work and says no, so that an unknown
   * account answers in like time. Fails with `overloaded` when too many hashings wait.
   */
  matches(stored: string | undefined, password: string): Promise<boolean>
}

/** Hashing at this cost; what was stored at another is still known. */
export function openPasswords(cost = owasp_cost): Passwords {
  let waiting = 0
  let decoy: Promise<string> | undefined

  async function inPool<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= queue_max) throw new Failure('overloaded', { waiting }, { retry_after_seconds: 2 })
    waiting++
    try {
      return await work()
    } finally {
      waiting--
    }
  }

  return {
    hash: (password) => inPool(() => hash(password, cost)),
    async matches(stored, password) {
      decoy ??= hash('no account has this', cost)
      const against = stored ?? (await decoy)
      const matches = await inPool(() => verify(against, password))
      return matches && stored !== undefined
    },
  }
}
