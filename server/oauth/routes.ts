import type { IncomingHttpHeaders } from 'node:http'
import { success_messages } from '../../contract/success-messages.ts'
import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration, ResponseOf } from '../../contract/endpoint.ts'
import { getExternalUser, getSessionStatus, endSession as endSessionEndpoint } from '../../contract/external.ts'
import * as cli_contract from '../../contract/cli.ts'
import type { SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import * as contract from '../../contract/oauth.ts'
import * as openid_contract from '../../contract/openid.ts'
import * as apps_contract from '../../contract/oauth-apps.ts'
import { getPublicProfile, type AccountsDeps } from '../accounts/service.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import * as apps from './apps.service.ts'
import * as cli from './cli/service.ts'
import { authorize, describeRequest, describeReturn, requireSupported } from './authorize.service.ts'
import { readParameters } from './client-authentication.service.ts'
import { appErrors, scopeErrors } from './rules.ts'
import { boundConnection, connectedApps, disconnect } from './connections.service.ts'
import { introspect } from './introspection.service.ts'
import { describeLogout } from './logout.service.ts'
import { revokeToken } from './revocation.service.ts'
import type { ProvedRequest } from './dpop/service.ts'
import { openRequest, pushRequest, withPushed } from './par/service.ts'
import type { OAuthDeps } from './service.ts'
import { endSession, refreshSessionToken, sessionStatus } from './app-sessions.service.ts'
import { teamRoutes } from './teams.routes.ts'
import { issueTokens } from './token-endpoint.service.ts'

export function oauthRoutes(http: Http, deps: OAuthDeps, accounts: Pick<AccountsDeps, 'db' | 'tiers'>) {
  appRoutes(http, deps)
  secretRoutes(http, deps)
  teamRoutes(http, deps)
  authorizationRoutes(http, deps)
  tokenRoutes(http, deps)
  openidRoutes(http, deps)
  externalRoutes(http, deps, accounts)
}

function appRoutes(http: Http, deps: OAuthDeps) {
  mount(
    http,
    apps_contract.createApp,
    async ({ caller, body }) => ({ app: await apps.createApp(deps, caller, body) }),
    { rules: (body) => [...appErrors(body), ...scopeErrors(body)] },
  )

  mount(http, apps_contract.getPublicApp, ({ params }) => apps.getPublicApp(deps, params.client_id))
  mount(http, apps_contract.listMyApps, ({ caller }) => apps.listMyApps(deps, caller.user_id))

  mount(http, apps_contract.submitMyApp, ({ caller, params, body }) => apps.submitMyApp(deps, caller, params.id, body))

  mount(
    http,
    apps_contract.updateMyApp,
    ({ caller, params, body }) => apps.updateMyApp(deps, caller, params.id, body),
    { rules: appErrors },
  )

  mount(http, apps_contract.setLogo, ({ caller, params, body }) => apps.setLogo(deps, caller, params.id, body.picture))
  mount(http, apps_contract.removeLogo, ({ caller, params }) => apps.setLogo(deps, caller, params.id, null))

  mount(
    http,
    apps_contract.requestScopes,
    ({ caller, params, body }) => apps.requestScopes(deps, caller, params.id, body.requested_scopes),
    { rules: scopeErrors },
  )

  mount(http, apps_contract.listScopeRequests, ({ params }) => apps.listScopeRequests(deps, params.id))
}

function secretRoutes(http: Http, deps: OAuthDeps) {
  mount(http, apps_contract.createSecret, ({ caller, params, body }) =>
    apps.createSecret(deps, caller, params.id, body),
  )

  mount(http, apps_contract.listSecrets, async ({ params }) => ({
    secrets: await apps.listSecrets(deps, params.id),
  }))

  mount(http, apps_contract.deleteSecret, async ({ caller, params }) => {
    await apps.deleteSecret(deps, caller, params.id, params.secret_id)
    return { message: success_messages.secret_deleted }
  })

  mount(http, cli_contract.createCliCode, ({ caller, params, body }) =>
    cli.createCliCode(deps, caller, params.id, body),
  )
  mount(http, cli_contract.redeemCliCode, ({ body }) => cli.redeemCliCode(deps, body))
  mount(http, cli_contract.deleteOwnSecret, async ({ caller }) => {
    await cli.deleteOwnSecret(deps, caller)
    return { message: success_messages.secret_deleted }
  })
}

function authorizationRoutes(http: Http, deps: OAuthDeps) {
  const prepareQuery = (query: Readonly<Record<string, unknown>>) => {
    requireSupported(query)
    return withPushed(deps, query)
  }
  mount(http, contract.authorize, ({ caller, query }) => authorize(deps, caller, query), {
    prepareQuery,
    // Redirects a browser that opens the endpoint directly to the consent page (D-30).
    redirect: ({ headers, url }) =>
      headers.authorization === undefined && headers.accept?.includes('text/html')
        ? url.replace(/^[^?]*/, '/oauth/authorize')
        : undefined,
  })

  mount(http, contract.describeAuthorization, ({ caller, query }) => describeRequest(deps, caller, query), {
    prepareQuery,
  })
  mount(http, contract.pushAuthorization, (call) => pushRequest(deps, ...clientCall(contract.pushAuthorization, call)))
  mount(http, contract.openPushedAuthorization, async ({ body }) => ({ parameters: await openRequest(deps, body) }))

  mount(http, contract.describeReturn, ({ query }) => describeReturn(deps, query))

  mount(http, contract.listConnectedApps, async ({ caller }) => ({
    connected_apps: await connectedApps(deps, caller.user_id),
  }))

  mount(http, contract.setDailyLimit, ({ caller, params, body }) =>
    boundConnection(deps, caller, params.app_id, body.daily_limit),
  )

  mount(http, contract.disconnectApp, async ({ caller, params }) => {
    await disconnect(deps, caller, params.app_id)
    return { message: success_messages.app_disconnected }
  })
}

function tokenRoutes(http: Http, deps: OAuthDeps) {
  mount(http, contract.token, (call) => issueTokens(deps, ...clientCall(contract.token, call)))
  mount(http, contract.revoke, async (call) => {
    const [parameters, use] = clientCall(contract.revoke, call)
    await revokeToken(deps, parameters, use)
    return {}
  })

  mount(http, contract.verifyToken, ({ body }) => introspect(deps, body))
  mount(http, contract.refreshSession, ({ body }) => refreshSessionToken(deps, body.token))
}

interface ClientCall {
  caller: { address: string }
  body: unknown
  headers: IncomingHttpHeaders
}

/** The parameters of a client's call, the use that it makes of a secret, and its DPoP proof; undefined without one. */
function clientCall(
  { method, path, secret_permission: permission }: Declaration & { secret_permission: SecretPermission },
  { caller: { address }, body, headers: { authorization, dpop } }: ClientCall,
) {
  const proof: ProvedRequest | undefined = dpop === undefined ? undefined : { header: String(dpop), method, path }
  return [readParameters(body, authorization), { permission, address }, proof] as const
}

function openidRoutes(http: Http, deps: OAuthDeps) {
  const { keys_cached_seconds } = decisions.openid
  const headers = { 'cache-control': `public, max-age=${keys_cached_seconds}` }
  mount(http, openid_contract.listPublicKeys, async () =>
    answer({ keys: (await deps.signing_keys.published()) as PublicKeys }, { headers }),
  )

  mount(http, openid_contract.describeLogout, ({ query }) => describeLogout(deps, query))
}

/** The keys of `signing-keys.service.ts`: RSA. */
type PublicKeys = ResponseOf<typeof openid_contract.listPublicKeys>['keys']

function externalRoutes(http: Http, deps: OAuthDeps, accounts: Pick<AccountsDeps, 'db' | 'tiers'>) {
  const profileOf = async ({ caller }: { caller: AppCaller }) => {
    const user = await getPublicProfile(accounts, caller.user_id)
    const { id, username, email, email_verified } = user
    return { user, id, sub: id, name: username, email, email_verified }
  }
  mount(http, getExternalUser, profileOf)
  mount(http, openid_contract.postUserinfo, profileOf)

  mount(http, getSessionStatus, ({ caller }) => sessionStatus(deps, caller))

  mount(http, endSessionEndpoint, async ({ caller }) => ({
    message: success_messages.session_over,
    session_id: await endSession(deps, caller),
  }))
}
