import { getEmailChange } from '../contract/account-upkeep.ts'
import { me } from '../contract/accounts.ts'
import { listLearningPaths, listModules } from '../contract/learning.ts'
import { getLeaving } from '../contract/leaving.ts'
import { listMyApps } from '../contract/oauth-apps.ts'
import { listPasskeys } from '../contract/passkeys.ts'
import type { InputlessRead } from './api/call.ts'
import type { PagePath } from './pages.ts'

/** Endpoints to read while the chunk of a page is loading. */
export const first_reads: { readonly [Path in PagePath]?: readonly InputlessRead[] } = {
  '/': [me, listMyApps, listModules],
  '/account': [me],
  '/account/details': [me, getEmailChange],
  '/account/leave': [getLeaving],
  '/account/security': [me, listPasskeys],
  '/points': [me],
  '/learning': [listModules, listLearningPaths],
  '/apps': [listMyApps],
  '/apps/$id': [listMyApps],
  '/deployments': [listMyApps],
  '/sandbox/points': [me],
}
