import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Person } from './friend-relations.ts'
import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import type { ReportDialogProps } from './report-form.tsx'
import { t } from '../../texts.ts'

const ReportForm = lazyComponent(() => import('./report-form.tsx'))

/** Reports a message, a person or a part of a person to the admins. */
export const ReportDialog = (props: ReportDialogProps) => (
  <OnDemand>
    <ReportForm {...props} />
  </OnDemand>
)

/** A button next to a person that reports them. */
export function ReportButton({ person }: { person: Person }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        onClick={() => setOpened(true)}
        aria-label={t('common.report', { username: person.username })}
        aria-haspopup="dialog"
      >
        {t('common.report-2')}
      </Button>
      {opened && <ReportDialog about={{ user_id: person.id }} {...person} onClose={() => setOpened(false)} />}
    </>
  )
}
