import { PlazaClient } from '../../contract/client.ts'
import { me } from '../../contract/accounts.ts'
import type { AnswerOf } from '../api/call.ts'
import { queryKeyOf, queryClient } from '../api/hooks.ts'
import { currentSession, onUserChange, updateUser } from './session.ts'

/** The user is not read again within this time. */
const fresh_ms = 5 * 60_000
/** Pages that read the user earlier make this read unnecessary. */
const first_read_after_ms = 4_000
let read_at = 0

function apply({ user }: AnswerOf<typeof me>) {
  const { id, email, username, tier, is_admin, admin_roles, email_verified, totp_enabled, display_name, picture_url } =
    user
  updateUser({
    id,
    email,
    username,
    tier,
    is_admin,
    admin_roles,
    email_verified,
    totp_enabled,
    display_name,
    picture_url,
  })
}

async function read() {
  const token = currentSession()?.token
  if (token === undefined || Math.abs(Date.now() - read_at) < fresh_ms) return
  read_at = Date.now()
  // Pages handle an expired session; after an error, the next focus reads again.
  const reply = await new PlazaClient(location.origin, token).call(me).catch(() => undefined)
  if (reply?.ok) apply(reply.body)
  else read_at = 0
}

/** Whether the user is an admin who has just signed in: the sign-in response contains no roles. */
function isRoleUnknown() {
  const user = currentSession()?.user
  return user?.is_admin === true && user.admin_roles === undefined
}

const [profile_key] = queryKeyOf(me)

/**
 * Keeps the session's user up to date: from the reads of pages, a few seconds after the start, and when the window gets
 * the focus and the last read is older than five minutes.
 */
export function startUserRefresh() {
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.query.queryKey[0] !== profile_key) return
    read_at = Date.now()
    apply(event.query.state.data as AnswerOf<typeof me>)
  })
  addEventListener('focus', () => void read())
  setTimeout(() => void read(), isRoleUnknown() ? 0 : first_read_after_ms)
  onUserChange(() =>
    setTimeout(() => {
      if (!isRoleUnknown()) return
      read_at = 0
      void read()
    }),
  )
}
