import { lazyDialog } from '../../ui/lazy-component.tsx'

/** The dialog that sends or requests points. */
export const PointsDialog = lazyDialog(() => import('./send-form.tsx'))
