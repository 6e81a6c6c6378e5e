import { keyedHash } from './secrets.ts'

/**
 * The secret of a mail, which is in the mail only. It is the same at each attempt of the job that sends it: a mail that arrives twice,
 * because the answer of the mail server was lost, is one mail with one code that works.
 */
const mailedBytes = (key: Buffer, job: string, purpose: string) => keyedHash(key, `mailed ${purpose} ${job}`)

/** A secret of 256 bits after a prefix, as `newSecret`. */
export const mailedSecret = (key: Buffer, job: string, prefix: string) =>
  prefix + mailedBytes(key, job, prefix).toString('base64url')

/** Decimal digits, with leading zeros. */
export const mailedDigits = (key: Buffer, job: string, digits: number) =>
  String(mailedBytes(key, job, 'digits').readUIntBE(0, 6) % 10 ** digits).padStart(digits, '0')
