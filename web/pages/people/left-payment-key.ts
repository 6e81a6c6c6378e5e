import { browser_storage } from '../../storage.ts'

/** The storage keys of payments whose pages were left before their responses arrived: this and the idempotency key. */
export const left_payment_prefix = 'plaza.payment'

export const leftPayments = () => browser_storage.keys(left_payment_prefix)
