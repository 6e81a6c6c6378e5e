import { lazyComponent, OnDemand } from '../../ui/lazy-component.tsx'
import type { ReportDialogProps } from './report-form.tsx'

const ReportForm = lazyComponent(() => import('./report-form.tsx'))

/** Reports a message or a person to the admins. */
export const ReportDialog = (props: ReportDialogProps) => (
  <OnDemand>
    <ReportForm {...props} />
  </OnDemand>
)
