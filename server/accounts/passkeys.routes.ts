import { success_messages } from '../../contract/success-messages.ts'
import {
  deletePasskey,
  listPasskeys,
  passkeyLogin,
  passkeyLoginOptions,
  passkeyProofOptions,
  passkeyRegistrationOptions,
  registerPasskey,
  renamePasskey,
  setPasskeySecondFactor,
} from '../../contract/passkeys.ts'
import { addressKey } from '../platform/networks.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { keepSignedIn } from './kept-sessions.service.ts'
import * as passkeys from './passkeys.service.ts'
import type { AccountsDeps } from './service.ts'

export function passkeyRoutes(http: Http, deps: AccountsDeps) {
  mount(http, passkeyLoginOptions, async () => ({ options: await passkeys.askForSignIn(deps) }))

  mount(http, passkeyLogin, async ({ caller, body, headers, note }) => {
    note({ address: caller.address })
    const origin = { address: addressKey(caller.address), user_agent: headers['user-agent'] }
    const { token, user } = await passkeys.logInWithPasskey(deps, body.response, origin)
    note({ user_id: user.id })
    return answer({ token, user }, { headers: await keepSignedIn(deps, token, headers) })
  })

  mount(http, listPasskeys, ({ caller }) => passkeys.listPasskeys(deps, caller.user_id))

  mount(http, passkeyRegistrationOptions, async ({ caller, body }) => ({
    options: await passkeys.startRegistration(deps, caller, body),
  }))

  mount(http, registerPasskey, async ({ caller, body }) => ({
    passkey: await passkeys.registerPasskey(deps, caller, body),
  }))

  mount(http, renamePasskey, async ({ caller, params, body }) => ({
    passkey: await passkeys.renamePasskey(deps, caller.user_id, { id: params.id, name: body.name }),
  }))

  mount(http, deletePasskey, async ({ caller, params, body }) => {
    await passkeys.deletePasskey(deps, caller, { id: params.id, proof: body })
    return { message: success_messages.passkey_removed }
  })

  mount(http, passkeyProofOptions, async ({ caller }) => ({ options: await passkeys.askForProof(deps, caller) }))

  mount(http, setPasskeySecondFactor, async ({ caller, body: { enabled, ...proof } }) => ({
    recovery_codes: await passkeys.setSecondFactor(deps, caller, { enabled, proof }),
    message: enabled ? success_messages.passkey_asked : success_messages.passkey_not_asked,
  }))
}
