import { browser_storage } from '../../storage.ts'

/** Where the browser keeps a payment whose page was left before the answer came. */
export const left_payment_key = 'plaza.payment'

export const hasLeftPayment = () => browser_storage.get(left_payment_key) !== undefined
