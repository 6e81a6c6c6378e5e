import type { listPasskeys } from '../../../contract/passkeys.ts'
import type { AnswerOf } from '../../api/call.ts'

export type Passkey = AnswerOf<typeof listPasskeys>['passkeys'][number]

/** What is done in the dialog. */
export type PasskeyAction = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey; is_last: boolean }
