import '@mantine/spotlight/styles.css'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { pages } from '../pages.ts'
import { useSession } from '../session/session.ts'
import { useSignOut } from '../session/sign-out.ts'
import { Icon } from './icon.tsx'

/** The command palette: every page that one may open, found by its words. Comes with mod+K. */
export default function Palette({ opened }: { opened: number }) {
  const router = useRouter()
  const { session } = useSession()
  const leave = useSignOut()
  useEffect(() => spotlight.open(), [opened])
  const open = pages.filter(
    ({ path, who, frame }) =>
      !path.includes('$') &&
      frame !== 'bare' &&
      (who === 'anyone' || (session && (who === 'user' || (who === 'admin' && session.user.is_admin)))),
  )
  const actions = [
    ...open.map(({ path, title, nav, words }) => ({
      id: path,
      label: title,
      leftSection: <Icon name={nav?.icon ?? 'right'} />,
      ...(nav && { description: nav.area }),
      ...(words !== undefined && { keywords: words }),
      onClick: () => void router.navigate({ to: path }),
    })),
    {
      id: 'docs',
      label: 'API reference',
      keywords: 'docs openapi',
      leftSection: <Icon name="book" />,
      onClick: () => location.assign('/docs'),
    },
    ...(session
      ? [{ id: 'out', label: 'Sign out', leftSection: <Icon name="out" />, onClick: () => void leave() }]
      : []),
  ]
  return (
    <Spotlight
      shortcut={null}
      actions={actions}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="No page has these words."
      searchProps={{ placeholder: 'Go to a page', 'aria-label': 'Go to a page', leftSection: <Icon name="search" /> }}
    />
  )
}
