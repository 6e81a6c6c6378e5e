import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { comeBack, ownSession } from './acting.ts'
import type { Session } from '../../session/session.ts'
import { Modal } from '../../ui/dialog.tsx'
import { signInAs } from './test-persons.ts'

interface AsPersonAgainProps {
  opened: boolean
  person: Session['user']
  /** The dialog of everybody else. */
  children: ReactNode
}

/** The dialog for an expired session of a test person, who has no password that anybody knows (D-102). */
export default function AsPersonAgain({ opened, person, children }: AsPersonAgainProps) {
  const own = ownSession()
  if (!own) return children
  return (
    <Modal opened={opened} onClose={() => {}} busy withCloseButton={false} title="Sign in again">
      <Text size="sm" c="dimmed" mb="md">
        Your sign-in as <bdi>{person.username}</bdi> is over. Nothing on the page behind is lost.
      </Text>
      {/* Where one's own sign-in is over too, that one is asked for. */}
      <Button fullWidth onClick={() => void signInAs(person).catch(comeBack)}>
        Go on as {person.username}
      </Button>
      <Button variant="subtle" fullWidth mt="xs" onClick={comeBack}>
        Back to {own.user.username}
      </Button>
    </Modal>
  )
}
