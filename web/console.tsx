import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/hooks.ts'
import { loadPicture } from './pages/public/landing.tsx'
import { awaitPrefetch, router } from './router.tsx'
import { currentSession } from './session/session.ts'
import { Frame } from './ui/root.tsx'
import { theme, variables } from './ui/theme.ts'

/** The CSP nonce of the page; the policy blocks inline styles without it. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// react-remove-scroll, which Mantine uses for dialogs, reads the nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: nonce })

/** early.js reads the same key before the first paint. */
const scheme = localStorageColorSchemeManager({ key: 'plaza.scheme' })

/** The first render waits at most this long for the chunks of the page, and then for its prefetch. */
const chunks_wait_ms = 1_000
const prefetch_wait_ms = 400

const atMost = (wait_ms: number, work: Promise<unknown>) =>
  Promise.race([work, new Promise((done) => setTimeout(done, wait_ms))])

/**
 * Waits for the chunks of the frame and the page. Without them, React would show the fallback for 300 ms (its
 * throttle), even if they arrived sooner. The prefetch usually completes in this time, and rendering a page once takes
 * half as long as twice.
 */
async function awaitPage() {
  await atMost(chunks_wait_ms, Promise.allSettled([Frame.fetch(), router.load()]))
  await atMost(prefetch_wait_ms, awaitPrefetch())
}

/** Renders the console, starting with the page of the address. */
export async function start() {
  if (currentSession()) await awaitPage()
  else if (location.pathname === '/') loadPicture()
  createRoot(document.querySelector('#root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme()}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        colorSchemeManager={scheme}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
