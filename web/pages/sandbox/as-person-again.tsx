import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { comeBack, ownSession } from './acting.ts'
import type { Session } from '../../session/session.ts'
import { Modal } from '../../ui/dialog.tsx'
import { signInAs } from './test-persons.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

interface AsPersonAgainProps {
  opened: boolean
  person: Session['user']
  /** The dialog for all other users. */
  children: ReactNode
}

/** The dialog for an expired session of a test person, whose password nobody knows (D-102). */
export default function AsPersonAgain({ opened, person, children }: AsPersonAgainProps) {
  const own = ownSession()
  if (!own) return children
  return (
    <Modal opened={opened} onClose={() => {}} busy withCloseButton={false} title={t('common.sign-in-again')}>
      <Text size="sm" c="dimmed" mb="md">
        <RichText k="sandbox.as-person-again.your-sign-in-as-is-over" bdi={<bdi>{person.username}</bdi>} />
      </Text>
      {/* If the user's own session has also expired, asks for that sign-in. */}
      <Button fullWidth onClick={() => void signInAs(person).catch(comeBack)}>
        {t('sandbox.as-person-again.go-on-as', { username: person.username })}
      </Button>
      <Button variant="subtle" fullWidth mt="xs" onClick={comeBack}>
        {t('common.back-to', { username: own.user.username })}
      </Button>
    </Modal>
  )
}
