import { browser_storage } from '../../storage.ts'

/** The storage key of a payment whose page was left before its response arrived. */
export const left_payment_key = 'plaza.payment'

export const hasLeftPayment = () => browser_storage.get(left_payment_key) !== undefined
