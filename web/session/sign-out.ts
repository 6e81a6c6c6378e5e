import { useRouter } from '@tanstack/react-router'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../client/client.ts'
import { currentSession, endSession } from './session.ts'

/** Ends the session in the service and forgets it in every tab; it is forgotten even if the service does not answer. */
export async function signOut() {
  const token = currentSession()?.token
  endSession()
  if (token === undefined) return
  await new PlazaClient(location.origin, token).call(logout).catch(() => undefined)
}

/** Signs out and ends at the first page, wherever one was. */
export function useSignOut() {
  const router = useRouter()
  return () => void router.navigate({ to: '/' }).then(signOut)
}
