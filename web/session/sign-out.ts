import { useRouter } from '@tanstack/react-router'
import { settings } from '../settings.ts'
import { finishDelayedCalls } from '../ui/undo-period.ts'
import { confirmSignOut } from '../ui/unsaved.ts'
import { endInService } from './end-in-service.ts'
import { currentSession, endSession } from './session.ts'

/**
 * Removes the session in every tab and ends it in the service; an error of the service is ignored. In a sandbox,
 * a user who acts as a test person is signed out too.
 */
export async function signOut() {
  const token = currentSession()?.token
  const own_token = settings.is_sandbox ? await forgetOwnToken() : undefined
  endSession()
  const tokens = [token, own_token].filter((one) => one !== undefined)
  await Promise.all(tokens.map(endInService))
}

/** A chunk that cannot be loaded must not prevent the sign-out. */
const forgetOwnToken = () =>
  import('../pages/sandbox/acting.ts').then(
    ({ forgetOwnSession }) => forgetOwnSession()?.token,
    () => undefined,
  )

/** Signs out and opens the landing page, after delayed calls are done; asks first if there are unsaved changes. */
export function useSignOut() {
  const router = useRouter()
  return async () => {
    // If one fails, the page shows why.
    if (!(await finishDelayedCalls()) || !(await confirmSignOut())) return
    await router.navigate({ to: '/' })
    // A blocked navigation also resolves: signs out only if it has happened.
    if (router.state.location.pathname === '/') await signOut()
  }
}
