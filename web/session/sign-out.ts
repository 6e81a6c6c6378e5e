import { useRouter } from '@tanstack/react-router'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../client/client.ts'
import { confirmSignOut } from '../ui/unsaved.ts'
import { currentSession, endSession } from './session.ts'

/** Ends the session in the service and forgets it in every tab; it is forgotten even if the service does not answer. */
export async function signOut() {
  const token = currentSession()?.token
  endSession()
  if (token === undefined) return
  await new PlazaClient(location.origin, token).call(logout).catch(() => undefined)
}

/** Signs out and ends at the first page, wherever one was. Asks first where something is not saved. */
export function useSignOut() {
  const router = useRouter()
  return async () => {
    if (!(await confirmSignOut())) return
    await router.navigate({ to: '/' })
    // A page that does not let go ends the wait with whatever comes next.
    if (router.state.location.pathname === '/') await signOut()
  }
}
