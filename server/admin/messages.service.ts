import type { UserCaller } from '../../contract/caller.ts'
import { getRawMessage } from '../social/chat.service.ts'
import { audited, type AdminDeps } from './service.ts'

/** The unmasked text of a chat message (D-74); the access is audited (D-81). Fails with `not_found`. */
export const readMessage = (deps: AdminDeps, caller: UserCaller, message_id: string) =>
  audited(deps, caller, { action: 'message.read', target_id: message_id, details: {} }, (tx) =>
    getRawMessage(tx, message_id),
  )
