import '@mantine/core/styles.css'
import './ui/base.css'
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/hooks.ts'
import { awaitPrefetch, router } from './router.tsx'
import { startUserRefresh } from './session/refresh-user.ts'
import { currentSession } from './session/session.ts'
import { Frame } from './ui/root.tsx'
import { theme, variables } from './ui/theme.ts'

/** The service names it in every page that it sends; styles without it are refused by our policy. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// The part of the kit that holds the page still behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

/** The key is also read by scheme.js, before the first paint. */
const scheme = localStorageColorSchemeManager({ key: 'plaza.scheme' })

startUserRefresh()

/** How long the first draw waits for the parts of the page at most, and then for what the page reads first. */
const parts_wait_ms = 1_000
const reads_wait_ms = 150

const atMost = (wait_ms: number, work: Promise<unknown>) =>
  Promise.race([work, new Promise((done) => setTimeout(done, wait_ms))])

/**
 * Waits for the frame and the page, which the document has the browser fetch beside this script. Drawn without them, they
 * would come 300 ms after they are there: so long React shows what stands in the place of something. The answers of the
 * page's first reads mostly come meanwhile, and drawing a page once takes half as long as twice.
 */
async function awaitPage() {
  await atMost(parts_wait_ms, Promise.allSettled([Frame.fetch(), router.load()]))
  await atMost(reads_wait_ms, awaitPrefetch())
}

const draw = () =>
  createRoot(document.querySelector('#root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
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

// Not awaited at the top of this module: the parts import it, and would wait for it in turn.
if (currentSession()) void awaitPage().then(draw)
else draw()
