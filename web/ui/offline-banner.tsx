import { useReachability } from '../api/reachability.ts'
import { Icon } from './icon.tsx'
import classes from './offline-banner.module.css'

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
              ? 'You are offline. What you see may be old; changes can be made when your connection is back.'
              : 'Plaza does not answer at the moment. What you see may be old. It is tried again by itself.'}
          </span>
        </div>
      )}
    </div>
  )
}
