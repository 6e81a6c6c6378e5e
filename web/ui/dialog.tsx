import { lazyDialog } from './lazy-component.tsx'

const load = () => import('./guarded-dialogs.tsx')

/**
 * A dialog in the dialog stack: Escape closes only the topmost, and unsaved input is discarded only after confirmation.
 */
export const Modal = lazyDialog(async () => ({ default: (await load()).Modal }))

/** The same at the side of the window. */
export const Drawer = lazyDialog(async () => ({ default: (await load()).Drawer }))
