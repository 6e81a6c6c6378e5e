import { me } from '../../../contract/accounts.ts'
import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const accountPages = [
  {
    path: '/account',
    title: 'Your account',
    who: 'user',
    load: () => import('./overview.tsx'),
    reads: [me],
    nav: { area: 'You', icon: 'user', label: 'Account' },
    words: 'profile e-mail referral invite tier verify',
  },
  {
    path: '/account/security',
    title: 'Security',
    who: 'user',
    load: () => import('./security.tsx'),
    reads: [me],
    nav: { area: 'You', icon: 'shield' },
    words: 'password totp two-factor 2fa authenticator recovery codes',
  },
  {
    path: '/account/sessions',
    title: 'Sign-ins',
    who: 'user',
    load: () => import('./sessions.tsx'),
    words: 'sessions devices sign out everywhere',
  },
  {
    path: '/points',
    title: 'Points',
    who: 'user',
    load: () => import('./points.tsx'),
    search: { kind: text, direction: oneOf('in', 'out') },
    reads: [me],
    nav: { area: 'You', icon: 'coins' },
    words: 'balance history csv export',
  },
  {
    path: '/connected-apps',
    title: 'Connected apps',
    who: 'user',
    load: () => import('./connected-apps.tsx'),
    nav: { area: 'You', icon: 'plug' },
    words: 'revoke disconnect access scopes permissions',
  },
] as const satisfies readonly Page[]
