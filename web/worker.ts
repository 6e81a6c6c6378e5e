import { currentSession, onUserChange } from './session/session.ts'

/** The page and its dialogs load first. */
const worker_after_ms = 5_000

export const installWorker = () => navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })

/** The subscription of this browser for push messages, if it has one. */
export const findSubscription = async () => {
  const worker = await navigator.serviceWorker?.getRegistration()
  return (await worker?.pushManager?.getSubscription()) ?? undefined
}

/**
 * Installs the service worker for signed-in people: visitors have nothing to see without a network. A person's notices
 * are only for that person: the subscription ends with the session.
 */
export function startWorker() {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  onUserChange(() => void findSubscription().then((subscription) => subscription?.unsubscribe()))
  if (currentSession()) setTimeout(() => void installWorker().catch(() => undefined), worker_after_ms)
}
