import { useHotkeys } from '@mantine/hooks'
import { Outlet, useBlocker, useMatches, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useSession } from '../session/session.ts'
import { isDialogOpen } from './dialog-stack.ts'
import { PublicFrame } from './public-frame.tsx'
import { useCurrentTabTitle } from './tab-title.ts'
import { documentTitle } from './title.ts'
import { hasUnsavedChanges, leaveConfirmation, confirmLeavePage } from './unsaved.ts'
import { lazyComponent, ChunkErrorBoundary } from './lazy-component.tsx'

const loadPalette = () => import('./palette.tsx')
const loadLeaveQuestion = () => import('./leave-dialog.tsx')
const loadSignInAgain = () => import('../session/sign-in-again.tsx')

export const Frame = lazyComponent(() => import('./frame.tsx'))
const Palette = lazyComponent(loadPalette)
const LeaveQuestion = lazyComponent(loadLeaveQuestion)
const SignInAgain = lazyComponent(loadSignInAgain)

/** Around every page: its frame, the tab's title, where the focus goes, the command palette and the renewal of a session. */
export function Root() {
  const { session, expired } = useSession()
  const page = useMatches().at(-1)?.staticData.page
  const [palette, setPalette] = useState(0)
  const openPalette = () => setPalette((times) => times + 1)
  // In a field too, but not over a dialog: it would lead away from what is asked there.
  useHotkeys([['mod+K', () => isDialogOpen() || openPalette()]], [])
  const tab_name = useCurrentTabTitle()
  useTitle(tab_name ?? (page?.path === '/' ? session && page.title : (page?.title ?? 'Nothing here')))
  useFocusOnArrival()
  useOtherPerson(session?.user.id)
  usePartsAtHand(session !== undefined)
  const leaving = useLeaveQuestion()
  // Another person gets the page from its beginning.
  const content = <Outlet key={session?.user.id ?? 'nobody'} />
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      {page?.frame === 'bare' ? (
        <PublicFrame narrow>{content}</PublicFrame>
      ) : session ? (
        <Suspense>
          <Frame user={session.user} onSearch={openPalette}>
            {content}
          </Frame>
        </Suspense>
      ) : (
        <PublicFrame>{content}</PublicFrame>
      )}
      <ChunkErrorBoundary>
        <Suspense>{palette > 0 && <Palette opened={palette} />}</Suspense>
      </ChunkErrorBoundary>
      <ChunkErrorBoundary>
        <Suspense>{expired && <SignInAgain />}</Suspense>
      </ChunkErrorBoundary>
      <ChunkErrorBoundary>
        <Suspense>{leaving && <LeaveQuestion />}</Suspense>
      </ChunkErrorBoundary>
    </>
  )
}

/** How long the first page has the line for itself. */
const parts_after_ms = 2_000

/** What a signed-in person may need at any moment is fetched soon after the first page: after a release it may be gone. */
function usePartsAtHand(signed_in: boolean) {
  useEffect(() => {
    if (!signed_in) return undefined
    const timer = setTimeout(() => {
      // What fails now is told when it is wanted.
      for (const load of [loadSignInAgain, loadPalette, loadLeaveQuestion]) load().catch(() => undefined)
    }, parts_after_ms)
    return () => clearTimeout(timer)
  }, [signed_in])
}

/** Nobody loses what is not saved unasked: on the way to another page, back, or out of the tab. */
function useLeaveQuestion() {
  useBlocker({ shouldBlockFn: async () => !(await confirmLeavePage()), enableBeforeUnload: hasUnsavedChanges })
  return useSyncExternalStore(leaveConfirmation.subscribe, leaveConfirmation.isOpen)
}

function useTitle(title: string | undefined) {
  useEffect(() => {
    document.title = documentTitle(title)
  }, [title])
}

/** After a move to another page the focus is at its heading, so that who hears the page begins there. */
function useFocusOnArrival() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const here = document.activeElement
        if (here instanceof HTMLInputElement && here.closest('main')) return
        // A page that is still read has no heading yet: it takes the focus over when it comes.
        const arrival = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main')
        arrival?.focus()
      }),
    [router],
  )
}

/** Pages that need somebody send on to the sign-in, and the sign-in sends on, when the person changes. */
function useOtherPerson(user_id: string | undefined) {
  const router = useRouter()
  const before = useRef(user_id)
  useEffect(() => {
    if (before.current === user_id) return
    before.current = user_id
    void router.invalidate()
  }, [user_id, router])
}
