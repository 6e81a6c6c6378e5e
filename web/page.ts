import type { FunctionComponent } from 'react'
import type { NeededRoles } from '../contract/kinds/admin-roles.ts'
import type { SearchParsers } from './search.ts'
import type { PlainTextKey } from './texts.ts'
import type { IconName } from './ui/icon.tsx'

/**
 * The spaces of the console, in the order of the switch at the top, each with its first page and the areas of its
 * navigation.
 */
export const spaces = {
  personal: { label: 'console.page.personal', icon: 'user', home: '/', areas: ['You', 'People'] },
  build: { label: 'console.page.build', icon: 'app', home: '/apps', areas: ['Build', 'Sandbox'] },
  admin: {
    label: 'console.page.admin',
    icon: 'gauge',
    home: '/admin',
    areas: ['Decisions', 'Accounts', 'Money', 'Hosting', 'Operation'],
  },
} as const satisfies Record<string, { label: PlainTextKey; icon: IconName; home: string; areas: readonly string[] }>

export type Space = keyof typeof spaces

/** An area of the navigation, with a heading. It and its pages belong to one space. */
export type Area = (typeof spaces)[Space]['areas'][number]

/** The headings of the areas. */
export const area_names = {
  You: 'common.you',
  People: 'console.page.people',
  Build: 'console.page.build',
  Sandbox: 'common.sandbox',
  Decisions: 'console.page.decisions',
  Accounts: 'common.accounts',
  Money: 'console.page.money',
  Hosting: 'common.hosting',
  Operation: 'console.page.operation',
} as const satisfies Record<Area, PlainTextKey>

/** One page of the console; `router.tsx` makes a route of it. Each area lists its pages in `pages/<area>/pages.ts`. */
export interface Page<Path extends string = string> {
  /** The route path: `/apps/$id`. */
  path: Path
  /** The title of the tab, before `· Plaza`. */
  title: PlainTextKey
  /** Signed-in users by default; others are redirected to the sign-in. With `guest`, signed-in users are redirected. */
  access?: 'anyone' | 'guest' | 'admin'
  /** The admin roles that may each open the page (D-135); all by default. */
  admin_roles?: NeededRoles
  /** The page only makes a change: auditors cannot open it. */
  is_form?: true
  /** `bare`: a narrow column without navigation. */
  frame?: 'bare'
  /** The page exists only in a sandbox (D-102). */
  sandbox?: true
  load: () => Promise<{ default: FunctionComponent }>
  /** Its search parameters, each with a parser. */
  search?: SearchParsers
  /**
   * Its entry in the navigation; other pages are reached by links. The area determines the space. A page without an
   * entry belongs to the space of the entry whose path is a prefix of its path (`/apps/new` to that of `/apps`),
   * otherwise to the personal one.
   */
  nav?: { area: Area; icon: IconName; label?: PlainTextKey }
  /** Additional search terms for the command palette. */
  keywords?: PlainTextKey
}
