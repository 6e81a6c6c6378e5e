import type { Clock } from '../../platform/clock.ts'
import { forEachPage } from '../../platform/each.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { notify } from '../../notices/service.ts'
import { getAppUntilCommit } from '../../oauth/apps.service.ts'
import { noticesOfApp } from '../../oauth/members.service.ts'
import { watch_job } from './watch-mail.service.ts'
import { isOver, look } from './watch.rules.ts'
import { deleteWatch, findWatchedState, listWatched, lockWatch, saveWatch, watchUnwell } from './watch.store.ts'

export interface WatchDeps {
  db: Database
  clock: Clock
}

const page_rows = 500

/**
 * Checks every failing deployment. Queues mails to owners in the transaction that records them, so that concurrent runs
 * queue each mail once. An error of one deployment does not stop the checks of the others.
 */
export async function watchDeployments({ db, clock }: WatchDeps) {
  await watchUnwell(db, clock())
  await forEachPage(
    page_rows,
    (page) => listWatched(db, page),
    (id) => lookAt(db, id, clock()),
  )
}

const lookAt = (db: Database, deployment_id: string, now: Date) =>
  db.transaction(async (tx) => {
    const before = await lockWatch(tx, deployment_id)
    if (!before) return
    const state = await findWatchedState(tx, deployment_id)
    if (!state) return void (await deleteWatch(tx, deployment_id))
    const { watch, notice } = look(before, state, now)
    if (notice) {
      const payload = { deployment_id, ...notice, since: notice.since.toISOString() }
      const event = notice.what === 'down' ? 'deployment_down' : 'deployment_back'
      const { app_id } = state
      await getAppUntilCommit(tx, app_id)
      const [about, mail] = [`deployment:${deployment_id}`, { job: watch_job, payload }]
      await notify(tx, await noticesOfApp(tx, { app_id, subject_id: deployment_id, event, about, mail }), { now })
    }
    await (isOver(watch) ? deleteWatch(tx, deployment_id) : saveWatch(tx, deployment_id, watch))
  })
