import { Outlet, useBlocker, useMatches, useRouter } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { unreadText, useUnreadNotices } from '../api/unread-notices.ts'
import { leftPayments } from '../pages/people/left-payment-key.ts'
import { hasOutbox } from '../pages/people/outbox-key.ts'
import { useProofAsked } from '../session/proof.ts'
import { useSession } from '../session/session.ts'
import { takeKeptFocus } from './keep-focus.ts'
import { PublicFrame } from './public-frame.tsx'
import { useCurrentTabTitle, useUnreadInTitle } from './tab-title.ts'
import { documentTitle } from './tab-title.ts'
import { confirmLeavePage, hasUnsavedChanges, useLeaveQuestion } from './unsaved.ts'
import { lazyComponent, lazyDialog, OnDemand } from './lazy-component.tsx'
import { useShortcuts } from './shortcuts.ts'
import { t, type PlainTextKey } from '../texts.ts'

const loadPalette = () => import('./palette.tsx')
const loadLeaveQuestion = () => import('./leave-dialog.tsx')
const loadSignInAgain = () => import('../session/sign-in-again.tsx')

export const Frame = lazyComponent(() => import('./frame.tsx'))
const Palette = lazyComponent(loadPalette)
const LeaveQuestion = lazyComponent(loadLeaveQuestion)
const SignInAgain = lazyComponent(loadSignInAgain)
const Proof = lazyComponent(() => import('../pages/account/prove-dialog.tsx'))
const Shortcuts = lazyDialog(() => import('./shortcuts-dialog.tsx'))

/** The root of every page: layout, document title, focus after navigation, command palette, sign-in dialog. */
export function Root() {
  const { session, expired } = useSession()
  const proof_asked = useProofAsked()
  const page = useMatches().at(-1)?.staticData.page
  const [palette, setPalette] = useState(0)
  const [shortcuts, setShortcuts] = useState(false)
  const openPalette = () => setPalette((times) => times + 1)
  const openShortcuts = useCallback(() => setShortcuts(true), [])
  useShortcuts(session?.user, openPalette, openShortcuts)
  const tab_title = useCurrentTabTitle()
  useTitle(
    tab_title,
    page?.path === '/' && !session
      ? 'public.landing.one-account-and-one-balance-for'
      : (page?.title ?? 'common.nothing-here'),
    unreadText(useUnreadNotices() + useUnreadInTitle()),
  )
  useFocusOnNavigation()
  useInvalidateOnUserChange(session?.user.id)
  usePreloadedDialogs(session !== undefined)
  useLeftWorkOnStart(session !== undefined)
  const leaving = useUnsavedBlocker()
  // Another user gets a fresh page.
  const content = <Outlet key={session?.user.id ?? 'nobody'} />
  return (
    <>
      <a className="skip" href="#content">
        {t('ui.root.skip-to-the-content')}
      </a>
      {page?.frame === 'bare' ? (
        <PublicFrame narrow>{content}</PublicFrame>
      ) : session ? (
        <Suspense>
          <Frame user={session.user} onSearch={openPalette} onShortcuts={openShortcuts}>
            {content}
          </Frame>
        </Suspense>
      ) : (
        <PublicFrame>{content}</PublicFrame>
      )}
      <OnDemand>{palette > 0 && <Palette opened={palette} onShortcuts={openShortcuts} />}</OnDemand>
      <Shortcuts opened={shortcuts} user={session?.user} onClose={() => setShortcuts(false)} />
      <OnDemand>{expired && <SignInAgain />}</OnDemand>
      <OnDemand>{proof_asked && <Proof />}</OnDemand>
      <OnDemand>{leaving && <LeaveQuestion />}</OnDemand>
    </>
  )
}

/** Delay of the preload: the first page is loaded before. */
const preload_after_ms = 2_000

/** Preloads the dialogs that any page may open: after a release their chunks may be gone. */
function usePreloadedDialogs(signed_in: boolean) {
  useEffect(() => {
    if (!signed_in) return undefined
    const timer = setTimeout(() => {
      // Errors are shown when the dialog is opened.
      for (const load of [loadSignInAgain, loadPalette, loadLeaveQuestion]) load().catch(() => undefined)
    }, preload_after_ms)
    return () => clearTimeout(timer)
  }, [signed_in])
}

/** Sends messages and payments that earlier pages left unsent. */
function useLeftWorkOnStart(signed_in: boolean) {
  useEffect(() => {
    if (!signed_in) return undefined
    const timer = setTimeout(() => {
      if (hasOutbox()) import('../pages/people/outbox.ts').catch(() => undefined)
      if (leftPayments().length > 0)
        import('../pages/people/left-payment.ts')
          .then(({ sendLeftPayments }) => sendLeftPayments())
          .catch(() => undefined)
    }, preload_after_ms)
    return () => clearTimeout(timer)
  }, [signed_in])
}

/** Asks before navigation, Back or closing the tab loses unsaved changes. */
function useUnsavedBlocker() {
  useBlocker({ shouldBlockFn: async () => !(await confirmLeavePage()), enableBeforeUnload: hasUnsavedChanges })
  return useLeaveQuestion()
}

/** The title of the tab: of the page or its subject, after the number of unread notices and direct messages. */
function useTitle(title: string | undefined, key: PlainTextKey | undefined, unread: string | undefined) {
  useEffect(() => {
    document.title = documentTitle(title ?? (key && t(key)), unread)
  }, [title, key, unread])
}

/** After a navigation the heading gets the focus, so that screen readers start there. */
function useFocusOnNavigation() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (takeKeptFocus() || !pathChanged || !fromLocation) return
        const here = document.activeElement
        if (here instanceof HTMLInputElement && here.closest('main')) return
        // A page that is loading has no heading yet: `PageTitle` takes the focus later.
        const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main')
        target?.focus()
      }),
    [router],
  )
}

/** Runs the route guards again when the user changes. */
function useInvalidateOnUserChange(user_id: string | undefined) {
  const router = useRouter()
  const before = useRef(user_id)
  useEffect(() => {
    if (before.current === user_id) return
    before.current = user_id
    void router.invalidate()
  }, [user_id, router])
}
