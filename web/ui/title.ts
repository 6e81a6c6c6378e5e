import { t } from '../texts.ts'

/** The title of the browser's tab. */
export const documentTitle = (title: string | undefined) =>
  title === undefined ? 'Plaza' : t('ui.title.plaza', { title })

/** A text without Unicode bidi controls: a tab title cannot isolate them. */
export const withoutBidiControls = (words: string) => words.replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
