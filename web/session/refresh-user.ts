import { PlazaClient } from '../../client/client.ts'
import { me } from '../../contract/accounts.ts'
import type { AnswerOf } from '../api/call.ts'
import { queryKeyOf, queryClient } from '../api/hooks.ts'
import { currentSession, updateUser } from './session.ts'

/** Who comes back to the window within this time finds what was read before. */
const fresh_ms = 5 * 60_000
/** Pages that read who is signed in themselves do so at once; nobody else is in a hurry. */
const first_read_after_ms = 4_000
let read_at = 0

function take({ user }: AnswerOf<typeof me>) {
  const { id, email, username, tier, is_admin, email_verified, totp_enabled } = user
  updateUser({ id, email, username, tier, is_admin, email_verified, totp_enabled })
}

async function read() {
  const token = currentSession()?.token
  if (token === undefined || Math.abs(Date.now() - read_at) < fresh_ms) return
  read_at = Date.now()
  // A sign-in that is over is the pages' to notice, and without an answer the next look asks again.
  const reply = await new PlazaClient(location.origin, token).call(me).catch(() => undefined)
  if (reply?.ok) take(reply.body)
  else read_at = 0
}

const [profile_key] = queryKeyOf(me)

/**
 * Keeps who is signed in as the service knows them: from what pages read of them, soon after the start where no page
 * does, and when somebody comes back to the window after a while.
 */
export function startUserRefresh() {
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.query.queryKey[0] !== profile_key) return
    read_at = Date.now()
    take(event.query.state.data as AnswerOf<typeof me>)
  })
  addEventListener('focus', () => void read())
  setTimeout(() => void read(), first_read_after_ms)
}
