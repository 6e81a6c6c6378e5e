import type { ClientCaller } from '../../../contract/caller.ts'
import { getRegistryToken } from '../../../contract/registry.ts'
import { mount, type Authenticators, type Http } from '../../http/mount.ts'
import { registry_worker, type RegistryTokens } from './registry.service.ts'

/** `authenticate`: the app of an Authorization header, or undefined for a worker. */
export function registryRoutes(
  http: Http,
  tokens: RegistryTokens,
  authenticate: (...credentials: Parameters<Authenticators['client']>) => Promise<ClientCaller | undefined>,
) {
  const client: Authenticators['client'] = async (...credentials) =>
    (await authenticate(...credentials)) ?? registry_worker
  mount({ ...http, authenticate: { ...http.authenticate, client } }, getRegistryToken, ({ caller, query }) =>
    tokens.grant(caller, query),
  )
}
