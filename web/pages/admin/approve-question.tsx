import { Button, Group, Kbd, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { t } from '../../texts.ts'

interface ApproveQuestionProps {
  title: ReactNode
  action: string
  busy: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Confirms an approval. The approve button has the focus, so that Enter confirms. */
export const ApproveQuestion = ({ title, action, busy, error, onConfirm, onClose, children }: ApproveQuestionProps) => (
  <Modal opened onClose={onClose} title={title}>
    <Stack>
      <Text component="div" size="sm">
        {children}
      </Text>
      <FailureNote error={error} />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Kbd size="xs">{t('ui.shortcuts-dialog.enter')}</Kbd>
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button onClick={onConfirm} loading={busy} data-autofocus>
            {action}
          </Button>
        </Group>
      </Group>
    </Stack>
  </Modal>
)
