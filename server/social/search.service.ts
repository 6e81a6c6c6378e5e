import { user_search_min, user_search_results_max } from '../../contract/social.ts'
import { invalidField } from '../platform/failure.ts'
import { blocksTag } from './blocks.service.ts'
import { findUsersByPrefix } from './search.store.ts'
import type { SocialDeps } from './service.ts'

/**
 * Users whose name begins with `q` (D-76), an equal name first and the others in alphabetical order; without the
 * searching user, users with a block in either direction (D-71), and suspended users. Fails with `validation_failed` if
 * `q` has fewer than two characters after trimming. The result may be a few seconds old (REPLICA_LAG_MAX), but never
 * older than a block by the searching user.
 */
export async function searchUsers({ reads }: Pick<SocialDeps, 'reads'>, user_id: string, q: string) {
  const prefix = q.trim()
  if ([...prefix].length < user_search_min) throw invalidField('q', ['length_min', { limit: user_search_min }])
  const search = { viewer_id: user_id, prefix, rows_max: user_search_results_max }
  return reads.read((db) => findUsersByPrefix(db, search), { tags: [blocksTag(user_id)] })
}
