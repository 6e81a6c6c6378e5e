import { Alert } from '@mantine/core'
import { listOwnInvitations } from '../../../contract/teams.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { RichText } from '../../ui/rich-text.tsx'

/** Says that team invitations or app offers await the person, with a link to them. */
export function WaitingInvitations() {
  const waiting = useApiQuery(listOwnInvitations, {}).data
  const count = (waiting?.invitations.length ?? 0) + (waiting?.apps.length ?? 0)
  if (count === 0) return null
  return (
    <Alert mb="md" variant="light" icon={<Icon name="mail" />}>
      <RichText
        k="build.waiting-invitations.wait-for-you"
        count={count}
        link={(part) => <Link to="/invitations">{part}</Link>}
      />
    </Alert>
  )
}
