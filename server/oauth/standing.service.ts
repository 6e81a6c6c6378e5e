import type { AppCaller } from '../../contract/caller.ts'
import { isConnected } from './connections.store.ts'
import type { OAuthDeps } from './service.ts'

/**
 * Whether a stream may continue with its access token; if not, whether the person is still connected with the app, so
 * that the token can be refreshed (D-111).
 */
export async function tokenStanding(
  { db }: Pick<OAuthDeps, 'db'>,
  { user_id, app_id }: AppCaller,
  mayRead: () => Promise<boolean>,
) {
  if (await mayRead()) return 'live'
  return (await isConnected(db, user_id, app_id)) ? 'session_ended' : 'connection_ended'
}
