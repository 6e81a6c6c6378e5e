import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const signInPages = [
  {
    path: '/sign-in',
    title: 'common.sign-in',
    access: 'guest',
    frame: 'bare',
    load: () => import('./sign-in.tsx'),
    search: { next: text },
  },
  {
    path: '/register',
    title: 'common.create-an-account',
    access: 'guest',
    frame: 'bare',
    load: () => import('./register.tsx'),
    search: { ref: text, next: text },
  },
  {
    path: '/verify-email',
    title: 'sign-in.pages.verify-your-e-mail',
    frame: 'bare',
    load: () => import('./verify-email.tsx'),
    search: { sent: oneOf('yes'), next: text },
  },
  {
    path: '/forgot-password',
    title: 'sign-in.pages.forgotten-password',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./forgot-password.tsx'),
    search: { next: text },
  },
  {
    path: '/reset-password',
    title: 'common.set-a-new-password',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./reset-password.tsx'),
    search: { next: text },
  },
  {
    path: '/undo-change',
    title: 'sign-in.pages.take-a-change-back',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./undo-change.tsx'),
  },
  {
    path: '/goodbye',
    title: 'sign-in.pages.goodbye',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./goodbye.tsx'),
  },
  {
    path: '/confirm-address',
    title: 'sign-in.pages.prove-your-address',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./confirm-address.tsx'),
  },
  {
    path: '/oauth/authorize',
    title: 'sign-in.pages.allow-access',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./authorize.tsx'),
  },
  {
    path: '/oauth/logout',
    title: 'common.sign-out',
    access: 'anyone',
    frame: 'bare',
    load: () => import('./logout.tsx'),
  },
] as const satisfies readonly Page[]
