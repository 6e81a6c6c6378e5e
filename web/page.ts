import type { FunctionComponent } from 'react'
import type { InputlessRead } from './api/call.ts'
import type { SearchParsers } from './search.ts'
import type { IconName } from './ui/icon.tsx'

/** The sections of the navigation, in their order. */
export const areas = ['You', 'People', 'Build', 'Sandbox', 'Admin'] as const
export type Area = (typeof areas)[number]

/** One page of the console; `router.tsx` makes a route of it. Each area lists its pages in `pages/<area>/pages.ts`. */
export interface Page<Path extends string = string> {
  /** The route path: `/apps/$id`. */
  path: Path
  /** The title of the tab, before `· Plaza`. */
  title: string
  /** `guest`: signed-in users are redirected. `user` and `admin`: others are redirected to the sign-in. */
  access: 'anyone' | 'guest' | 'user' | 'admin'
  /** `bare`: a narrow column without navigation. */
  frame?: 'bare'
  /** A page that only a sandbox has (D-102). */
  sandbox?: true
  load: () => Promise<{ default: FunctionComponent }>
  /** Its search parameters, with a parser each. */
  search?: SearchParsers
  /** Endpoints that are fetched while the page's chunk is loading. */
  prefetch?: readonly InputlessRead[]
  /** In place of `prefetch`, where reads have an order or an input; `router.tsx` has the functions. */
  first_reads?: 'friends' | 'lobby'
  /** Its place in the navigation; other pages are reached by links. */
  nav?: { area: Area; icon: IconName; label?: string }
  /** More search terms of the command palette. */
  keywords?: string
}
