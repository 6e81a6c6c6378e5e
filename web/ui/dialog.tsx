import { lazyDialog } from './lazy-component.tsx'

const load = () => import('./guarded-dialogs.tsx')

/** A dialog in the dialog stack: Escape closes the topmost only, and unsaved input is discarded after a question only. */
export const Modal = lazyDialog(async () => ({ default: (await load()).Modal }))

/** The same at the side of the window. */
export const Drawer = lazyDialog(async () => ({ default: (await load()).Drawer }))
