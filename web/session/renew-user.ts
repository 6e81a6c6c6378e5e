import { PlazaClient } from '../../client/client.ts'
import { me } from '../../contract/accounts.ts'
import { currentSession, renewUser } from './session.ts'

/** Who comes back to the window within this time finds what was read before. */
const fresh_ms = 5 * 60_000
let read_at = 0

async function read() {
  const token = currentSession()?.token
  if (token === undefined || Math.abs(Date.now() - read_at) < fresh_ms) return
  read_at = Date.now()
  // A sign-in that is over is the pages' to notice, and without an answer the next look asks again.
  const reply = await new PlazaClient(location.origin, token).call(me).catch(() => undefined)
  if (!reply?.ok) {
    read_at = 0
    return
  }
  const { id, email, username, tier, is_admin, email_verified, totp_enabled } = reply.body.user
  renewUser({ id, email, username, tier, is_admin, email_verified, totp_enabled })
}

/** Reads who is signed in anew: now, and when somebody comes back to the window after a while. */
export function keepUserFresh() {
  addEventListener('focus', () => void read())
  void read()
}
