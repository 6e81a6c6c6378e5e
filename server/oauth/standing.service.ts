import type { AppCaller } from '../../contract/caller.ts'
import { Failure } from '../platform/failure.ts'
import { isConnected } from './connections.store.ts'
import { authenticateApp, type OAuthDeps } from './service.ts'

/**
 * Whether an access token is still good for points:read; if not, whether the person is still connected with the app, so that the token
 * can be refreshed (D-111).
 */
export async function tokenStanding(deps: OAuthDeps, { user_id, app_id }: AppCaller, token: string) {
  try {
    const { scopes } = await authenticateApp(deps, token)
    return scopes.includes('points:read') ? 'live' : 'session_ended'
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return (await isConnected(deps.db, user_id, app_id)) ? 'session_ended' : 'connection_ended'
  }
}
