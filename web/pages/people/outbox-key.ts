import { browser_storage } from '../../storage.ts'

/** The storage key of unsent messages. */
export const outbox_key = 'plaza.outbox'

/** Whether there are unsent messages or drafts. */
export const hasOutbox = () => browser_storage.get(outbox_key) !== undefined
