import { lazyDialog } from '../../ui/lazy-component.tsx'

export const PointsDialog = lazyDialog(() => import('./send-form.tsx'))
