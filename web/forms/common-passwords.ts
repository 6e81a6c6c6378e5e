import list from './common-passwords.txt?raw'

/** Of the 10,000 most common passwords, as zxcvbn-ts 4.1 ranks them, those that are long enough; in small letters. */
const common = new Set(list.trim().split('\n'))

/** Whether a password is one of the most common, in any case. */
export const isCommon = (password: string) => common.has(password.toLowerCase())
