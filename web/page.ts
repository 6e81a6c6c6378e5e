import type { FunctionComponent } from 'react'
import type { InputlessRead } from './api/call.ts'
import type { SearchParsers } from './search.ts'
import type { IconName } from './ui/icon.tsx'

/** The parts of the navigation, in their order. */
export const areas = ['You', 'People', 'Build', 'Admin'] as const
export type Area = (typeof areas)[number]

/** One page of the console, of which `router.tsx` makes a route. Each area lists its own in `pages/<area>/pages.ts`. */
export interface Page<Path extends string = string> {
  /** As the router reads it: `/apps/$id`. */
  path: Path
  /** What the browser's tab says, before `· Plaza`. */
  title: string
  /** `guest`: only for who is not signed in; others are sent on. `user` and `admin`: signs in first. */
  access: 'anyone' | 'guest' | 'user' | 'admin'
  /** `bare`: a narrow column without navigation. */
  frame?: 'bare'
  load: () => Promise<{ default: FunctionComponent }>
  /** The search parameters that it understands. */
  search?: SearchParsers
  /** What it reads first: asked for while the page itself is still on its way. */
  prefetch?: readonly InputlessRead[]
  /** Where it stands in the navigation; pages without one are reached from others. */
  nav?: { area: Area; icon: IconName; label?: string }
  /** More words by which the command palette finds it. */
  keywords?: string
}
