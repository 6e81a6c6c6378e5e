import { keyedHash } from './secrets.ts'

/**
 * The secret of a mail. Only the mail contains it. It is the same at each attempt of the job that sends it: if the mail
 * server's answer was lost and the mail arrives twice, both have the same valid code.
 */
const mailedBytes = (key: Buffer, job: string, purpose: string) => keyedHash(key, `mailed ${purpose} ${job}`)

/** A secret of 256 bits after a prefix, as `newSecret`. */
export const mailedSecret = (key: Buffer, job: string, prefix: string) =>
  prefix + mailedBytes(key, job, prefix).toString('base64url')

/** Decimal digits, with leading zeros. */
export const mailedDigits = (key: Buffer, job: string, digits: number) =>
  String(mailedBytes(key, job, 'digits').readUIntBE(0, 6) % 10 ** digits).padStart(digits, '0')
