import type { EnvReader } from '../platform/env-reader.ts'

export type SocialSettings = ReturnType<typeof readSocialSettings>

export const readSocialSettings = (read: EnvReader) => ({
  chat_words: { deny: read.list('CHAT_DENY_WORDS'), allow: read.list('CHAT_ALLOW_WORDS') },
})
