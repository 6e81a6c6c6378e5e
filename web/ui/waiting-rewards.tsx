import { Alert } from '@mantine/core'
import { getWaitingRewards } from '../../contract/points.ts'
import { useApiQuery } from '../api/hooks.ts'
import { useSession } from '../session/session.ts'
import { formatPoints } from './format.tsx'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'
import { RichText } from './rich-text.tsx'

/** The points that are paid when the person verifies the address (D-116). Renders nothing where none wait. */
export function WaitingRewards() {
  const { session } = useSession()
  return session?.user.email_verified === false ? <Note /> : null
}

function Note() {
  const { data } = useApiQuery(getWaitingRewards, {})
  if (!data || data.points === 0) return null
  return (
    <Alert role="status" icon={<Icon name="coins" />}>
      <RichText
        k="ui.waiting-rewards.will-be-paid-when-you-verify"
        points={formatPoints(data.points)}
        link={(part) => <Link to="/verify-email">{part}</Link>}
      />
    </Alert>
  )
}
