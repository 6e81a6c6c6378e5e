import { useReachability } from '../api/reachability.ts'
import { Icon } from './icon.tsx'
import classes from './offline-banner.module.css'
import { t } from '../texts.ts'

/** Says above the content of every page that the service cannot be reached, and what that means for what is shown. */
export function OfflineBanner() {
  const state = useReachability()
  // The region is always there: screen readers announce changes of regions that they know.
  return (
    <div role="status">
      {state !== 'reachable' && (
        <div className={classes.offline}>
          <Icon name="alert" size={16} />
          <span>
            {state === 'offline'
              ? t('ui.offline-banner.you-are-offline-what-you-see')
              : t('ui.offline-banner.plaza-does-not-answer-at-the')}
          </span>
        </div>
      )}
    </div>
  )
}
