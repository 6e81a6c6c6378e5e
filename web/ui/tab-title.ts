import { useEffect } from 'react'
import { createStore } from '../store.ts'
import { t } from '../texts.ts'

/** The title of the browser's tab, after the number of unread notices, if any: `(3) Inbox · Plaza`. */
export function documentTitle(title: string | undefined, unread?: string) {
  const shown = title === undefined ? 'Plaza' : t('ui.title.plaza', { title })
  return unread === undefined ? shown : `(${unread}) ${shown}`
}

/** A text without Unicode bidi controls: a tab title cannot isolate them. */
export const withoutBidiControls = (words: string) => words.replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')

/** The number of unread direct messages, stored here for the title, whose first pages load no conversations. */
const unread_messages = createStore(0)
export const useUnreadInTitle = unread_messages.use

/** Shows the number of unread direct messages in the title while mounted. */
export function useUnreadTitle(count: number) {
  useEffect(() => {
    unread_messages.set(count)
    return () => unread_messages.set(0)
  }, [count])
}

const title = createStore<string | undefined>(undefined)

/** Overrides the tab's title while mounted, for example with the name of an app or a deployment. */
export function useTabTitle(shown: string | undefined) {
  useEffect(() => {
    title.set(shown === undefined ? undefined : withoutBidiControls(shown))
    return () => title.set(undefined)
  }, [shown])
}

export const useCurrentTabTitle = title.use
