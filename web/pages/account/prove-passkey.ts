import { passkeyProofOptions } from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import { loadWebAuthn } from '../../session/passkey-sign-in.tsx'

/** Has the browser ask for a passkey of the account, as the proof of a change (D-107). */
export async function provePasskey() {
  const { askForPasskey } = await loadWebAuthn()
  const { options } = await callApi(passkeyProofOptions)
  return { passkey: await askForPasskey(options) }
}
