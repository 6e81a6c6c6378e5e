import { Alert } from '@mantine/core'
import { useSession } from '../session/session.ts'
import { settings } from '../settings.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { RichText } from './rich-text.tsx'

/** Tells a person with an unverified address that rewards are paid after the verification (D-116). */
export function WaitingRewards() {
  const { session } = useSession()
  if (!settings.do_rewards_wait || session?.user.email_verified !== false) return null
  return (
    <Alert role="status" icon={<Icon name="coins" />}>
      <RichText k="ui.waiting-rewards.paid-when-you-verify" link={(part) => <Link to="/verify-email">{part}</Link>} />
    </Alert>
  )
}
