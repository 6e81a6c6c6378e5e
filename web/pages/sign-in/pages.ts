import type { Page } from '../../page.ts'

export const signInPages: Page[] = [
  { path: '/sign-in', title: 'Sign in', who: 'guest', frame: 'bare', load: () => import('./sign-in.tsx') },
  { path: '/register', title: 'Create an account', who: 'guest', frame: 'bare', load: () => import('./register.tsx') },
  {
    path: '/verify-email',
    title: 'Verify your e-mail',
    who: 'user',
    frame: 'bare',
    load: () => import('./verify-email.tsx'),
  },
  {
    path: '/forgot-password',
    title: 'Forgotten password',
    who: 'anyone',
    frame: 'bare',
    load: () => import('./forgot-password.tsx'),
  },
  {
    path: '/reset-password',
    title: 'Set a new password',
    who: 'anyone',
    frame: 'bare',
    load: () => import('./reset-password.tsx'),
  },
  {
    path: '/oauth/authorize',
    title: 'Allow access',
    who: 'anyone',
    frame: 'bare',
    load: () => import('./authorize.tsx'),
  },
]
