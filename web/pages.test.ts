import { expect, test } from 'vitest'
import { staticPages } from './static-pages.ts'
import { areas, type Page } from './page.ts'
import { pages } from './pages.ts'
import { accountPages } from './pages/account/pages.ts'
import { adminPages } from './pages/admin/pages.ts'
import { buildPages } from './pages/build/pages.ts'
import { deploymentsPages } from './pages/deployments/pages.ts'
import { learningPages } from './pages/learning/pages.ts'
import { peoplePages } from './pages/people/pages.ts'
import { publicPages } from './pages/public/pages.ts'
import { sandboxPages } from './pages/sandbox/pages.ts'
import { signInPages } from './pages/sign-in/pages.ts'

const lists: Record<string, readonly Page[]> = {
  account: accountPages,
  admin: adminPages,
  build: buildPages,
  deployments: deploymentsPages,
  learning: learningPages,
  people: peoplePages,
  public: publicPages,
  sandbox: sandboxPages,
  'sign-in': signInPages,
}

const navigationOf = (area: string) => staticPages.filter(({ nav }) => nav?.area === area)

function lineOf(area: string, { path, access, title, frame, sandbox, search, prefetch, first_reads, nav }: Page) {
  const at = nav && navigationOf(nav.area).findIndex((page) => page.path === path) + 1
  return [
    path + (search ? `?${Object.keys(search).join('&')}` : ''),
    `${access}, ${area}: ${title}`,
    ...(frame ? [`frame ${frame}`] : []),
    ...(sandbox ? ['in a sandbox only'] : []),
    ...(prefetch ? [`reads ${prefetch.map((endpoint) => endpoint.path).join(' ')}`] : []),
    ...(first_reads ? [`reads of the ${first_reads}`] : []),
    ...(nav ? [`in the navigation: ${nav.area} ${at}, ${nav.label ?? title}`] : []),
  ].join(' | ')
}

test('the list of all routes of the console (snapshot)', () => {
  const lines = Object.entries(lists).flatMap(([area, list]) => list.map((page) => lineOf(area, page)))
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    /account | user, account: Your account | reads /api/auth/me | in the navigation: You 3, Account
    /account/security | user, account: Security | reads /api/auth/me | in the navigation: You 4, Security
    /account/sessions | user, account: Sign-ins
    /points?kind&direction&app&reference&from&to | user, account: Points | reads /api/auth/me | in the navigation: You 5, Points
    /connected-apps | user, account: Connected apps | in the navigation: You 6, Connected apps
    /admin | admin, admin: Administration | in the navigation: Admin 1, Pending review
    /admin/review?what&status | admin, admin: Review | in the navigation: Admin 2, Review
    /admin/users?q | admin, admin: Users | in the navigation: Admin 3, Users
    /admin/points | admin, admin: Award points | in the navigation: Admin 4, Award points
    /admin/payments?view&id&status | admin, admin: Payments | in the navigation: Admin 5, Payments
    /admin/campaigns | admin, admin: Campaigns | in the navigation: Admin 6, Campaigns
    /admin/tiers | admin, admin: Deploy tiers | in the navigation: Admin 7, Deploy tiers
    /admin/deployments?status&health_status&owner_id&app_id | admin, admin: All deployments | in the navigation: Admin 8, All deployments
    /admin/messages | admin, admin: Raw message | in the navigation: Admin 9, Raw message
    /admin/jobs | admin, admin: Failed jobs | in the navigation: Admin 10, Failed jobs
    /admin/audit?action&actor_id&target_id | admin, admin: Audit log | in the navigation: Admin 11, Audit log
    /admin/ledger | admin, admin: Ledger check | in the navigation: Admin 12, Ledger check
    /apps | user, build: My apps | reads /api/oauth/my-apps | in the navigation: Build 1, My apps
    /apps/new | user, build: Register an app
    /apps/$id?tab&ask&kind&reference&username&from&to&payment | user, build: App | reads /api/oauth/my-apps
    /playground?app | user, build: Playground | in the navigation: Build 2, Playground
    /playground/callback | anyone, build: Back to the playground
    /deployments?app | user, deployments: Deployments | reads /api/oauth/my-apps | in the navigation: Build 3, Deployments
    /deployments/new?app | user, deployments: Deploy a container
    /deployments/$id?app | user, deployments: Deployment
    /learning | user, learning: Learning | reads /api/btc-progress/available-modules /api/btc-progress/learning-paths | in the navigation: You 7, Learning
    /learning/$module | user, learning: Module
    /learning/$module/$step | user, learning: Step
    /chat?table&open | user, people: Chat | reads of the lobby | in the navigation: People 1, Chat
    /friends | user, people: Friends | reads of the friends | in the navigation: People 2, Friends
    /people?q | user, people: Find people | in the navigation: People 3, Find people
    / | anyone, public: Overview | reads /api/auth/me /api/oauth/my-apps /api/btc-progress/available-modules | in the navigation: You 1, Overview
    /directory?page | anyone, public: Directory of apps | in the navigation: You 2, Directory
    /status | anyone, public: Service status
    /sandbox/points | user, sandbox: Give me points | in a sandbox only | reads /api/auth/me | in the navigation: Sandbox 1, Give me points
    /sandbox/mails | user, sandbox: My mails | in a sandbox only | in the navigation: Sandbox 2, My mails
    /sandbox/persons | user, sandbox: Test persons | in a sandbox only | in the navigation: Sandbox 3, Test persons
    /sign-in?next | guest, sign-in: Sign in | frame bare
    /register?ref&next | guest, sign-in: Create an account | frame bare
    /verify-email?sent&next | user, sign-in: Verify your e-mail | frame bare
    /forgot-password?next | anyone, sign-in: Forgotten password | frame bare
    /reset-password?next | anyone, sign-in: Set a new password | frame bare
    /oauth/authorize | anyone, sign-in: Allow access | frame bare
    /oauth/logout | anyone, sign-in: Sign out | frame bare
    "
  `)
})

test('every page of every area is one route', () => {
  const listed = Object.values(lists).flatMap((list) => list.map(({ path }) => path))
  expect(pages.map(({ path }) => path).toSorted()).toEqual(listed.toSorted())
  expect(new Set(listed).size).toBe(listed.length)
})

test('no page of the navigation has path parameters', () => {
  const placed = pages.filter(({ nav }) => nav)
  expect(areas.flatMap((area) => navigationOf(area)).length).toBe(placed.length)
})
