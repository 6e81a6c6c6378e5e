import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { staticPages } from './static-pages.ts'
import { first_reads } from './first-reads.ts'
import { spaces, type Page, type Space } from './page.ts'
import { pages, type PagePath } from './pages.ts'
import { accountPages } from './pages/account/pages.ts'
import { adminPages } from './pages/admin/pages.ts'
import { buildPages } from './pages/build/pages.ts'
import { deploymentsPages } from './pages/deployments/pages.ts'
import { inboxPages } from './pages/inbox/pages.ts'
import { learningPages } from './pages/learning/pages.ts'
import { peoplePages } from './pages/people/pages.ts'
import { publicPages } from './pages/public/pages.ts'
import { sandboxPages } from './pages/sandbox/pages.ts'
import { signInPages } from './pages/sign-in/pages.ts'
import { areasOf, spaceOf, spacesFor } from './ui/spaces.ts'

const lists: Record<string, readonly Page<PagePath>[]> = {
  account: accountPages,
  admin: adminPages,
  build: buildPages,
  deployments: deploymentsPages,
  inbox: inboxPages,
  learning: learningPages,
  people: peoplePages,
  public: publicPages,
  sandbox: sandboxPages,
  'sign-in': signInPages,
}

const english = JSON.parse(readFileSync('languages/en.json', 'utf8')) as Record<string, string>

const navigationOf = (area: string) => staticPages.filter(({ nav }) => nav?.area === area)

function lineOf(area: string, { path, access, title, frame, sandbox, search, nav }: Page<PagePath>) {
  const at = nav && navigationOf(nav.area).findIndex((page) => page.path === path) + 1
  return [
    path + (search ? `?${Object.keys(search).join('&')}` : ''),
    `${access ?? 'user'}, ${area}: ${english[title]}`,
    ...(frame ? [`frame ${frame}`] : []),
    ...(sandbox ? ['in a sandbox only'] : []),
    ...(first_reads[path] ? [`reads ${first_reads[path].map((endpoint) => endpoint.path).join(' ')}`] : []),
    ...(nav
      ? [
          `in the navigation: ${english[spaces[spaceOf(path)].label]}, ${nav.area} ${at}, ${english[nav.label ?? title]}`,
        ]
      : []),
  ].join(' | ')
}

test('the list of all routes of the console (snapshot)', () => {
  const lines = Object.entries(lists).flatMap(([area, list]) => list.map((page) => lineOf(area, page)))
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    /account | user, account: Your account | reads /api/auth/me | in the navigation: Personal, You 4, Account
    /account/details | user, account: Address and name | reads /api/auth/me /api/auth/email/change
    /account/leave | user, account: Leave Plaza | reads /api/auth/account/leaving
    /account/security | user, account: Security | reads /api/auth/me /api/auth/passkeys | in the navigation: Personal, You 5, Security
    /account/sessions | user, account: Sign-ins
    /points?kind&direction&app&reference&from&to&held_from&held_to | user, account: Points | reads /api/auth/me | in the navigation: Personal, You 6, Points
    /points/statement?from&to | user, account: Statement of points
    /connected-apps | user, account: Connected apps | in the navigation: Personal, You 7, Connected apps
    /admin | admin, admin: Administration | in the navigation: Admin, Decisions 1, Overview
    /admin/review?what&status | admin, admin: Review | in the navigation: Admin, Decisions 2, Review
    /admin/reports?status&user_id&reporter_id | admin, admin: Reports | in the navigation: Admin, Decisions 3, Reports
    /admin/users?q&state&role&sort | admin, admin: Users | in the navigation: Admin, Accounts 1, Users
    /admin/users/$id?tab | admin, admin: Person
    /admin/apps?q&status&sort | admin, admin: Apps | in the navigation: Admin, Accounts 2, Apps
    /admin/apps/$id?tab | admin, admin: App
    /admin/points | admin, admin: Award points | in the navigation: Admin, Accounts 3, Award points
    /admin/second-person?status | admin, admin: Second person | in the navigation: Admin, Decisions 4, Second person
    /admin/payments?view&id&status&from&to&app_id&user_id&amount_min&amount_max | admin, admin: Payments | in the navigation: Admin, Money 1, Payments
    /admin/campaigns | admin, admin: Campaigns | in the navigation: Admin, Money 2, Campaigns
    /admin/tiers | admin, admin: Deploy tiers | in the navigation: Admin, Hosting 1, Deploy tiers
    /admin/deployments?status&health_status&owner_id&app_id | admin, admin: All deployments | in the navigation: Admin, Hosting 2, All deployments
    /admin/deployments/$id | admin, admin: Deployment
    /admin/hosts | admin, admin: Container hosts | in the navigation: Admin, Hosting 3, Container hosts
    /admin/messages | admin, admin: Original message | in the navigation: Admin, Decisions 5, Original message
    /admin/jobs | admin, admin: Failed jobs | in the navigation: Admin, Operation 1, Failed jobs
    /admin/audit?action&actor&target&from&to&actor_id&target_id | admin, admin: Audit log | in the navigation: Admin, Operation 2, Audit log
    /admin/ledger | admin, admin: Ledger check | in the navigation: Admin, Money 3, Ledger check
    /apps?team | user, build: My apps | reads /api/oauth/my-apps | in the navigation: Build, Build 1, My apps
    /apps/new | user, build: Register an app
    /apps/$id?tab&ask&kind&reference&username&from&to&held_from&held_to&payment&webhook&status&delivery | user, build: App | reads /api/oauth/my-apps
    /teams | user, build: Teams | in the navigation: Build, Build 2, Teams
    /teams/$id?tab | user, build: Teams
    /invitations | user, build: Invitations
    /cli?port&state&code_challenge&name | user, build: Connect a terminal | frame bare
    /playground?app | user, build: Playground | in the navigation: Build, Build 3, Playground
    /playground/callback | anyone, build: Back to the playground
    /deployments?app | user, deployments: Deployments | reads /api/oauth/my-apps | in the navigation: Build, Build 4, Deployments
    /deployments/new?app | user, deployments: Deploy a container
    /deployments/$id?app | user, deployments: Deployment
    /inbox?kind | user, inbox: Inbox | in the navigation: Personal, You 3, Inbox
    /account/notices | user, inbox: Notices
    /learning | user, learning: Learning | reads /api/btc-progress/available-modules /api/btc-progress/learning-paths | in the navigation: Personal, You 8, Learning
    /learning/$module | user, learning: Module
    /learning/$module/$step | user, learning: Step
    /chat?table&open&with | user, people: Chat | in the navigation: Personal, People 1, Chat
    /friends | user, people: Friends | in the navigation: Personal, People 2, Friends
    /people?q | user, people: Find people | in the navigation: Personal, People 3, Find people
    /u/$username?amount | user, people: Person
    /reports | user, people: Your reports | in the navigation: Personal, People 4, Your reports
    / | anyone, public: Overview | reads /api/auth/me /api/oauth/my-apps /api/btc-progress/available-modules | in the navigation: Personal, You 1, Overview
    /directory?page | anyone, public: Directory of apps | in the navigation: Personal, You 2, Directory
    /status | anyone, public: Service status
    /sandbox/points | user, sandbox: Give me points | in a sandbox only | reads /api/auth/me | in the navigation: Build, Sandbox 1, Give me points
    /sandbox/mails | user, sandbox: My mails | in a sandbox only | in the navigation: Build, Sandbox 2, My mails
    /sandbox/persons | user, sandbox: Test persons | in a sandbox only | in the navigation: Build, Sandbox 3, Test persons
    /sign-in?next | guest, sign-in: Sign in | frame bare
    /register?ref&next | guest, sign-in: Create an account | frame bare
    /verify-email?sent&next | user, sign-in: Verify your e-mail | frame bare
    /forgot-password?next | anyone, sign-in: Forgotten password | frame bare
    /reset-password?next | anyone, sign-in: Set a new password | frame bare
    /undo-change | anyone, sign-in: Take a change back | frame bare
    /goodbye | anyone, sign-in: Goodbye | frame bare
    /confirm-address | anyone, sign-in: Prove your address | frame bare
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

test('no page of the navigation has path parameters, and each is in one space', () => {
  const placed = pages.filter(({ nav }) => nav)
  const areas = Object.values(spaces).flatMap((space) => [...space.areas])
  expect(areas.flatMap((area) => navigationOf(area)).length).toBe(placed.length)
  expect(new Set(areas).size).toBe(areas.length)
})

test('a page is in the space of its entry, or of the entry that its path is below', () => {
  const found = (paths: string[]) => paths.map((path) => [path, spaceOf(path)])
  const expected: [string, Space][] = [
    ['/', 'personal'],
    ['/account/sessions', 'personal'],
    ['/learning/1/basics-what-a-wallet-holds', 'personal'],
    ['/status', 'personal'],
    ['/no/such/page', 'personal'],
    ['/apps/new', 'build'],
    ['/apps/3f1c', 'build'],
    ['/deployments/3f1c', 'build'],
    ['/playground/callback', 'build'],
    ['/admin', 'admin'],
    ['/admin/review', 'admin'],
  ]
  expect(found(expected.map(([path]) => path))).toEqual(expected)
})

test('everybody has the personal space and that to build, admins the third', () => {
  expect(spacesFor({ is_admin: false })).toEqual(['personal', 'build'])
  expect(spacesFor({ is_admin: true })).toEqual(['personal', 'build', 'admin'])
  expect(areasOf('admin', { is_admin: false })).toEqual([])
})

test('the first page of a space is in it, and its navigation is short', () => {
  for (const space of spacesFor({ is_admin: true })) {
    expect(spaceOf(spaces[space].home)).toBe(space)
    for (const { pages: entries } of areasOf(space, { is_admin: true })) expect(entries.length).toBeLessThanOrEqual(8)
  }
})
