import { PlazaClient } from '../../contract/client.ts'
import { logout } from '../../contract/accounts.ts'

/** Ends the session of a token in the service; an error of the service is ignored. */
export async function endInService(token: string) {
  await new PlazaClient(location.origin, token).call(logout).catch(() => undefined)
}
