import { randomBytes } from 'node:crypto'
import { currentJob } from './current-job.ts'
import { keyedHash } from './secrets.ts'

/**
 * The secret of a mail, which is in the mail only. It is the same at each attempt of the job that sends it: a mail that arrives twice,
 * because the answer of the mail server was lost, is one mail with one code that works.
 */
function mailedBytes(key: Buffer, purpose: string) {
  const job = currentJob()
  return job === undefined ? randomBytes(32) : keyedHash(key, `mailed ${purpose} ${job}`)
}

/** A secret of 256 bits after a prefix, as `newSecret`. */
export const mailedSecret = (key: Buffer, prefix: string) => prefix + mailedBytes(key, prefix).toString('base64url')

/** Decimal digits, with leading zeros. */
export const mailedDigits = (key: Buffer, digits: number) =>
  String(mailedBytes(key, 'digits').readUIntBE(0, 6) % 10 ** digits).padStart(digits, '0')
