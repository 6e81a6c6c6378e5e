import { browser_storage } from '../../storage.ts'

export const outbox_key = 'plaza.outbox'

export const hasOutbox = () => browser_storage.get(outbox_key) !== undefined
