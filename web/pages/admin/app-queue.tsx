import { useState } from 'react'
import { adminListApps } from '../../../contract/admin-apps.ts'
import type { app_statuses } from '../../../contract/app-fields.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { EmptyState } from '../../ui/page-parts.tsx'
import type { AdminApp as App } from './app-changes.tsx'
import { decisionsOf, refuseChanged, ReviewDialog, type AppAction } from './app-decisions.tsx'
import { AppDetail } from './app-detail.tsx'
import type { PagedList } from './list-card.tsx'
import { Queue, QueueRow, useAscendingList } from './queue.tsx'
import { t } from '../../texts.ts'

/** Apps to review: by status, or changed since their approval. */
export function AppQueue({ status, changed = false }: { status?: (typeof app_statuses)[number]; changed?: boolean }) {
  const is_pending = status === 'pending'
  const newest = usePagedQuery(adminListApps, {
    query: { ...(status && { status }), ...(changed && { changed }), ...((is_pending || changed) && { limit: 100 }) },
  })
  const [dialog, setDialog] = useState<{ app: App; action: AppAction }>()
  const [decided, setDecided] = useState<string>()
  const open = (action: AppAction) => (app: App) => setDialog({ app, action })
  const decisions = decisionsOf(open, changed)
  return (
    <>
      <Queue
        name={t('common.apps')}
        list={useAscendingList(newest, is_pending || changed)}
        empty={
          <EmptyState icon="check" title={emptyTitle(is_pending, changed)}>
            {is_pending && t('admin.app-queue.all-apps-are-reviewed-new-apps')}
            {changed && t('admin.app-queue.an-app-appears-here-when-its')}
          </EmptyState>
        }
        summary={(app) => (
          <QueueRow
            name={app.app_name}
            about={
              <>
                <span className="user-content">{app.team_name ?? app.owner_username}</span>
                {app.changed_since_approval && ` · ${t('common.changed-since-approval-2')}`}
                {app.status === 'pending' && app.review.resubmitted_at && ` · ${t('admin.app-queue.asked-once-more')}`}
              </>
            }
            inserted_at={(app.status === 'pending' ? app.review.resubmitted_at : null) ?? app.inserted_at}
            status={app.status}
          />
        )}
        detail={(app) => <AppDetail app={app} />}
        decisions={decisions}
        busy={dialog !== undefined}
        decided={decided}
      />
      {dialog && (
        <ReviewDialog
          {...dialog}
          check={() => checkUnchanged(newest, dialog.app)}
          onDone={() => setDecided(dialog.app.id)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

const emptyTitle = (is_pending: boolean, changed: boolean) => {
  if (is_pending) return t('admin.app-queue.no-app-is-pending-review')
  return changed ? t('admin.app-queue.no-app-has-changed-since-its') : t('common.there-are-none')
}

/**
 * Reads the list again right before a decision and compares the app, because the API accepts a decision in every state.
 */
async function checkUnchanged(list: PagedList<App>, seen: App) {
  const { data, error } = await list.refetch()
  if (error) throw error
  const pages = (data?.pages ?? []) as unknown as { data: App[] }[]
  const current = pages.flatMap((page) => page.data).find(({ id }) => id === seen.id)
  refuseChanged(seen, current)
}
