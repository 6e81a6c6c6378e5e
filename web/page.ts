import type { ComponentType } from 'react'
import type { Declaration } from '../contract/endpoint.ts'
import type { IconName } from './ui/icon.tsx'

/** The parts of the navigation, in their order. */
export const areas = ['You', 'People', 'Build', 'Admin'] as const
export type Area = (typeof areas)[number]

/** One page of the console. Each area lists its own in `pages/<area>/pages.ts`. */
export interface Page {
  /** As the router reads it: `/apps/$id`. */
  path: string
  /** What the browser's tab says, before `· Plaza`. */
  title: string
  /** `guest`: only for who is not signed in; others are sent on. `user` and `admin`: signs in first. */
  who: 'anyone' | 'guest' | 'user' | 'admin'
  /** `bare`: a narrow column without navigation; `public`: with the header only for who is not signed in. */
  frame?: 'bare'
  load: () => Promise<{ default: ComponentType }>
  /** What it reads first, without parameters: asked for while the page itself is still on its way. */
  reads?: readonly Declaration[]
  /** Where it stands in the navigation; pages without one are reached from others. */
  nav?: { area: Area; icon: IconName; label?: string }
  /** More words by which the command palette finds it. */
  words?: string
}
