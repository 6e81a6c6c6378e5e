import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const signInPages = [
  {
    path: '/sign-in',
    title: 'Sign in',
    access: 'guest',
    frame: 'bare',
    load: () => import('./sign-in.tsx'),
    search: { next: text },
  },
  {
    path: '/register',
    title: 'Create an account',
    access: 'guest',
    frame: 'bare',
    load: () => import('./register.tsx'),
    search: { ref: text, next: text },
  },
  {
    path: '/verify-email',
    title: 'Verify your e-mail',
    access: 'user',
    frame: 'bare',
    load: () => import('./verify-email.tsx'),
    search: { sent: oneOf('yes'), next: text },
  },
  {
    path: '/forgot-password',
    title: 'Forgotten password',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./forgot-password.tsx'),
    search: { next: text },
  },
  {
    path: '/reset-password',
    title: 'Set a new password',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./reset-password.tsx'),
    search: { next: text },
  },
  {
    path: '/undo-change',
    title: 'Take a change back',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./undo-change.tsx'),
  },
  {
    path: '/goodbye',
    title: 'Goodbye',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./goodbye.tsx'),
  },
  {
    path: '/oauth/authorize',
    title: 'Allow access',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./authorize.tsx'),
  },
  {
    path: '/oauth/logout',
    title: 'Sign out',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./logout.tsx'),
  },
] as const satisfies readonly Page[]
