import { hash, verify } from '@node-rs/argon2'
import { Failure } from './failure.ts'
import { histogram, level } from './metrics/metrics.ts'

/** The parameters of argon2: memory in KiB, passes, threads. */
export interface HashingCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** OWASP's argon2id parameters (19 MiB, two passes); D-13. */
export const owasp_cost: HashingCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The maximum of hashings that wait for the thread pool. Further ones would time out there. */
const queue_max = 64

const hash_seconds = histogram({
  name: 'plaza_password_hash_seconds',
  help: 'How long hashing or verifying a password took, its wait for a thread included.',
}).with({})

const hashes_waiting = level({
  name: 'plaza_password_hash_waiting',
  help: 'Hashings of passwords under way or waiting for a thread.',
}).with({})

export interface Passwords {
  /**
   * Hashes a password for storage. Normalises it to NFC, because keyboards encode the same letter in several ways.
   * Fails with `overloaded` if too many hashings wait.
   */
  hash(password: string): Promise<string>
  /**
   * True if this is the password of the stored hash. Without a hash it verifies against a dummy hash and returns false, so that the
   * response time does not reveal whether an account exists. A password that is not in NFC is also tried as sent, because hashes of version
   * 0.2 and before were not normalised. Fails with `overloaded` if too many hashings wait.
   */
  matches(stored: string | undefined, password: string): Promise<boolean>
}

/** Hashes with these parameters; hashes with other parameters still verify. */
export function openPasswords(cost = owasp_cost): Passwords {
  let waiting = 0
  let dummy_hash: Promise<string> | undefined

  async function inPool<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= queue_max) throw new Failure('overloaded', { waiting }, { retry_after_seconds: 2 })
    waiting++
    hashes_waiting.add()
    const started_at = performance.now()
    try {
      return await work()
    } finally {
      waiting--
      hashes_waiting.add(-1)
      hash_seconds.observe((performance.now() - started_at) / 1_000)
    }
  }

  return {
    hash: (password) => inPool(() => hash(password.normalize(), cost)),
    async matches(stored, password) {
      dummy_hash ??= hash('no account has this', cost)
      const against = stored ?? (await dummy_hash)
      const forms = [...new Set([password.normalize(), password])]
      // Both forms are always tried, so that the time does not reveal which one a stored hash has.
      const matches = await inPool(() => Promise.all(forms.map((form) => verify(against, form))))
      return matches.includes(true) && stored !== undefined
    },
  }
}
