import { useSyncExternalStore } from 'react'
import { queryClient } from '../api/hooks.ts'
import { useReachability } from '../api/reachability.ts'
import { RelativeTime } from './format.tsx'
import { Icon } from './icon.tsx'
import classes from './offline-banner.module.css'
import { t } from '../texts.ts'
import { RichText } from './rich-text.tsx'

/** Says above every page that the service cannot be reached, and how old the data on the page is. */
export function OfflineBanner() {
  const state = useReachability()
  // The region is always present: screen readers announce changes only in regions that they know.
  return (
    <div role="status">
      {state !== 'reachable' && (
        <div className={classes.offline}>
          <Icon name="alert" size={16} />
          <span>
            {state === 'offline'
              ? t('ui.offline-banner.you-are-offline')
              : t('ui.offline-banner.plaza-does-not-answer')}{' '}
            <Age />
          </span>
        </div>
      )}
    </div>
  )
}

const cache = queryClient.getQueryCache()

/** The time of the oldest response on the page; 0 without one. */
const oldestAnswer = () => {
  const read_at = cache
    .findAll({ type: 'active' })
    .flatMap(({ state }) => (state.data === undefined ? [] : state.dataUpdatedAt))
  return read_at.length === 0 ? 0 : Math.min(...read_at)
}

function Age() {
  const at = useSyncExternalStore((listener) => cache.subscribe(listener), oldestAnswer)
  if (at === 0) return null
  return <RichText k="ui.offline-banner.these-data-are-from" time={<RelativeTime at={new Date(at).toISOString()} />} />
}
