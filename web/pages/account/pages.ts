import { me } from '../../../contract/accounts.ts'
import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const accountPages = [
  {
    path: '/account',
    title: 'Your account',
    access: 'user',
    load: () => import('./overview.tsx'),
    prefetch: [me],
    nav: { area: 'You', icon: 'user', label: 'Account' },
    keywords: 'profile e-mail referral invite tier verify',
  },
  {
    path: '/account/details',
    title: 'Address and name',
    access: 'user',
    load: () => import('./details.tsx'),
    prefetch: [me],
    keywords: 'e-mail change username rename',
  },
  {
    path: '/account/leave',
    title: 'Leave Plaza',
    access: 'user',
    load: () => import('./leave.tsx'),
    keywords: 'delete close account export download data gdpr',
  },
  {
    path: '/account/security',
    title: 'Security',
    access: 'user',
    load: () => import('./security.tsx'),
    prefetch: [me],
    nav: { area: 'You', icon: 'shield' },
    keywords:
      'passkeys webauthn fingerprint face security key password totp two-factor 2fa authenticator recovery codes',
  },
  {
    path: '/account/sessions',
    title: 'Sign-ins',
    access: 'user',
    load: () => import('./sessions.tsx'),
    keywords: 'sessions devices sign out everywhere',
  },
  {
    path: '/points',
    title: 'Points',
    access: 'user',
    load: () => import('./points.tsx'),
    search: { kind: text, direction: oneOf('in', 'out'), app: text, reference: text, from: text, to: text },
    prefetch: [me],
    nav: { area: 'You', icon: 'coins' },
    keywords: 'balance history csv export',
  },
  {
    path: '/connected-apps',
    title: 'Connected apps',
    access: 'user',
    load: () => import('./connected-apps.tsx'),
    nav: { area: 'You', icon: 'plug' },
    keywords: 'revoke disconnect access scopes permissions',
  },
] as const satisfies readonly Page[]
