import { Box } from '@mantine/core'
import { spaces, type Space } from '../page.ts'
import { Link } from './link.tsx'
import { spacesFor } from './spaces.ts'
import classes from './space-switch.module.css'
import { t } from '../texts.ts'

interface SwitchProps {
  user: { is_admin: boolean }
  /** The space of the page. */
  here: Space
}

const SpaceLinks = ({ user, here }: SwitchProps) =>
  spacesFor(user).map((space) => (
    <Link
      key={space}
      to={spaces[space].home}
      underline="never"
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={space === here ? 'true' : undefined}
    >
      {t(spaces[space].label)}
    </Link>
  ))

/** The switch between the spaces in the header of wide windows. */
export const HeaderSpaces = (props: SwitchProps) => (
  <Box component="nav" aria-label={t('ui.space-switch.spaces')} className={classes.spaces} visibleFrom="md">
    <SpaceLinks {...props} />
  </Box>
)

/** The same at the top of the navigation, if the header is too narrow. On phones the navigation stays open. */
export const NavigationSpaces = ({ onSwitch, ...props }: SwitchProps & { onSwitch: () => void }) => (
  <Box
    role="group"
    aria-label={t('ui.space-switch.spaces')}
    className={`${classes.spaces} ${classes.wide}`}
    hiddenFrom="md"
    mb="sm"
    onClick={onSwitch}
  >
    <SpaceLinks {...props} />
  </Box>
)
