import type { ClientCaller, UserCaller } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { SecretPermission } from '../../../contract/kinds/secret-permissions.ts'
import { secondsAfter } from '../../platform/clock.ts'
import { Failure } from '../../platform/failure.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { newSecret, sha256 } from '../../platform/secrets.ts'
import { deleteSecretIn, makeSecret } from '../apps.service.ts'
import { hasRoleInApp, requireMember } from '../members.service.ts'
import { challengeOf } from '../rules.ts'
import type { OAuthDeps } from '../service.ts'
import { consumeCliCode, insertCliCode } from './store.ts'

const { code_seconds, secret_days } = decisions.terminals

const of_admin: SecretPermission[] = ['payments_read', 'deploy', 'webhooks']
const of_developer: SecretPermission[] = ['deploy']

interface CodeRequest {
  code_challenge: string
  /** The name of the terminal's machine. */
  name: string
}

/**
 * Makes a code that a terminal exchanges for a secret of an app of the caller (D-157). Fails with `not_found` or
 * `role_required`.
 */
export async function createCliCode(deps: OAuthDeps, caller: UserCaller, app_id: string, request: CodeRequest) {
  const code = newSecret('')
  const { user_id, session_id } = caller
  const { code_challenge, name } = request
  await deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const expires_at = secondsAfter(deps.clock(), code_seconds)
    await insertCliCode(tx, { code_hash: sha256(code), app_id, user_id, session_id, code_challenge, name, expires_at })
  })
  return { code, expires_in: code_seconds }
}

/**
 * Exchanges a code for a new secret, with the permissions that its maker's role now allows. Fails with `invalid_grant`
 * for a code that is unknown, expired, used, or of another verifier, or whose maker has lost the right to make secrets.
 * With `too_many_secrets` the code stays valid.
 */
export async function redeemCliCode(deps: OAuthDeps, sent: { code: string; code_verifier: string }) {
  const now = deps.clock()
  return deps.db.transaction(async (tx) => {
    const code_hash = sha256(sent.code)
    const found = await consumeCliCode(tx, { code_hash, code_challenge: challengeOf(sent.code_verifier), now })
    if (!found) throw new Failure('invalid_grant', { why: 'unknown, expired, used, or another verifier' })
    const { app_id, client_id, user_id, session_id, name } = found
    const permissions = await permissionsOf(deps, tx, { user_id, session_id }, app_id)
    const expires_at = secondsAfter(now, secret_days * 86_400).toISOString()
    const secret = await makeSecret(deps, tx, { app_id, maker_id: user_id, now }, { name, permissions, expires_at })
    return { app_id, client_id, client_secret: secret.client_secret, secret_expires_at: secret.expires_at as Date }
  })
}

/** The permissions of a secret made by a signed-in person. Fails with `invalid_grant` without a session or a role. */
async function permissionsOf(
  deps: OAuthDeps,
  tx: Tx,
  maker: Pick<UserCaller, 'user_id' | 'session_id'>,
  app_id: string,
) {
  const caller = { ...maker, team_role: 'developer' } as const
  await requireMember(deps, tx, caller, app_id).catch((error: unknown) => {
    throw error instanceof Failure ? new Failure('invalid_grant', { app_id, why: error.code }) : error
  })
  return (await hasRoleInApp(tx, { app_id, user_id: maker.user_id }, 'admin')) ? of_admin : of_developer
}

/** Deletes the secret of the calling app. Does nothing if another call already did. */
export const deleteOwnSecret = (deps: OAuthDeps, { app_id, secret_id, owner_id }: ClientCaller) =>
  deps.db.transaction((tx) => deleteSecretIn(deps, tx, { app_id, secret_id, actor_id: owner_id }))
