import type { EnvReader } from '../platform/env-reader.ts'

export const readWebhooksSettings = (read: EnvReader) => ({
  webhook_addresses: read.oneOf('WEBHOOK_ADDRESSES', ['public', 'any'], 'public'),
})
