import { useSession } from '../../session/session.ts'
import { PersonSwitch } from './person-switch.tsx'
import classes from './banner.module.css'
import { t } from '../../texts.ts'

/** The banner above every page of a sandbox (D-102), with the switch between the user and their test persons. */
export default function Banner() {
  const { session } = useSession()
  return (
    <div className={classes.banner} role="region" aria-label={t('common.sandbox')}>
      <strong>{t('common.sandbox')}</strong>
      <span className={classes.about}>{t('sandbox.banner.play-points-and-apps-that-nobody')}</span>
      {session && <PersonSwitch key={session.user.id} username={session.user.username} />}
    </div>
  )
}
