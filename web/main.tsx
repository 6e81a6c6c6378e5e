import '@mantine/core/styles.css'
import './ui/base.css'
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/hooks.ts'
import { router } from './router.tsx'
import { keepUserFresh } from './session/renew-user.ts'
import { theme, variables } from './ui/theme.ts'

/** The service names it in every page that it sends; styles without it are refused by our policy. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

// The part of the kit that holds the page still behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

/** The key is also read by scheme.js, before the first paint. */
const scheme = localStorageColorSchemeManager({ key: 'plaza.scheme' })

keepUserFresh()

createRoot(document.querySelector('#root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={scheme}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
