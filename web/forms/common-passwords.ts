import list from './common-passwords.txt?raw'

/**
 * The 10,000 most common passwords, as zxcvbn-ts 4.1 ranks them, reduced to those of sufficient length; in lower case.
 */
const common = new Set(list.trim().split('\n'))

/** Whether a password is one of the most common, ignoring case. */
export const isCommon = (password: string) => common.has(password.toLowerCase())
