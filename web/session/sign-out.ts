import { useRouter } from '@tanstack/react-router'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../client/client.ts'
import { confirmSignOut } from '../ui/unsaved.ts'
import { currentSession, endSession } from './session.ts'

/** Removes the session in every tab and ends it in the service; an error of the service is ignored. */
export async function signOut() {
  const token = currentSession()?.token
  endSession()
  if (token === undefined) return
  await new PlazaClient(location.origin, token).call(logout).catch(() => undefined)
}

/** Signs out and opens the landing page; asks first when there are unsaved changes. */
export function useSignOut() {
  const router = useRouter()
  return async () => {
    if (!(await confirmSignOut())) return
    await router.navigate({ to: '/' })
    // A blocked navigation also resolves: sign out only when it has happened.
    if (router.state.location.pathname === '/') await signOut()
  }
}
