import { lazyDialog } from '../../ui/lazy-component.tsx'

/** The dialog that sends points or asks for them. */
export const PointsDialog = lazyDialog(() => import('./send-form.tsx'))
