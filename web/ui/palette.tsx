import '@mantine/spotlight/styles.css'
import { Kbd, Text, useMatches } from '@mantine/core'
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session.ts'
import { browser_storage, parseStored } from '../storage.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { groups, usePaletteEntries, type Entry } from './palette-entries.ts'
import { usePaletteSearch } from './palette-search.ts'
import classes from './palette.module.css'
import { searchEntries } from './search-entries.ts'

const recent_max = 5
const actions_max = 4

/**
 * The command palette: actions, all pages that the user may open, their apps, and the service's results: people,
 * payments, deployments, guides. Opens with mod+K.
 */
export default function Palette({ opened, onShortcuts }: { opened: number; onShortcuts: () => void }) {
  const [query, setQuery] = useState('')
  const { session } = useSession()
  const entries = usePaletteEntries(onShortcuts)
  const { found, is_searching, has_failed } = usePaletteSearch(query)
  const recent = useRecent(session?.user.id)
  useEffect(() => spotlight.open(), [opened])
  useFirstSelected(found.map(({ id }) => id).join())
  // On a phone the keyboard covers the lower half.
  const top = useMatches({ base: '1rem', sm: '15vh' })
  const shown =
    query.trim() === '' ? atFirst(entries, recent.ids) : inGroups([...searchEntries(query, entries), ...found])
  return (
    <Spotlight
      shortcut={null}
      actions={shown.map(({ name, of }) => ({
        group: name,
        actions: of.map((entry) => actionOf(entry, () => recent.note(entry.id))),
      }))}
      filter={(_query, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      centered={false}
      yOffset={top}
      classNames={{
        content: classes.content ?? '',
        actionsGroup: classes.group ?? '',
      }}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={
        is_searching
          ? t('common.searching')
          : has_failed
            ? t('ui.palette.no-page-or-app-has-these')
            : t('ui.palette.nothing-has-these-words')
      }
      searchProps={{
        placeholder: session ? t('ui.palette.find-a-page-an-app-a') : t('common.go-to-a-page'),
        'aria-label': t('ui.palette.what-do-you-look-for'),
        leftSection: <Icon name="search" />,
      }}
    />
  )
}

interface Group {
  name: string
  of: readonly Entry[]
}

const group_names = () => ({
  actions: t('common.actions'),
  pages: t('ui.frame.pages'),
  people: t('console.page.people'),
  apps: t('common.apps'),
  payments: t('common.payments'),
  guides: t('ui.frame.guides'),
})

const inGroups = (entries: readonly Entry[]): Group[] =>
  groups
    .map((group) => ({ name: group_names()[group], of: entries.filter((entry) => entry.group === group) }))
    .filter(({ of }) => of.length > 0)

/** Before any text is typed: the recently opened entries, and a few of the many actions. */
function atFirst(entries: readonly Entry[], recent_ids: readonly string[]): Group[] {
  const recent = recent_ids.flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
  const others = entries.filter((entry) => !recent.includes(entry))
  const few = others.filter(({ group }) => group === 'actions').slice(0, actions_max)
  const rest = others.filter((entry) => entry.group !== 'actions' || few.includes(entry))
  return [...(recent.length > 0 ? [{ name: t('ui.palette.recent'), of: recent }] : []), ...inGroups(rest)]
}

const actionOf = ({ id, icon, label, hint, keys, open }: Entry, onOpen: () => void): SpotlightActionData => ({
  id,
  label,
  leftSection: <Icon name={icon} />,
  dimmedSections: false,
  rightSection: keys ? (
    keys.map((key) => (
      <Kbd key={key} size="xs" ml={4}>
        {key}
      </Kbd>
    ))
  ) : (
    <Text span size="sm" className={classes.hint}>
      {hint}
    </Text>
  ),
  onClick: () => {
    onOpen()
    void open()
  },
})

const recent_key = 'plaza.recent'

interface Recent {
  user_id: string | undefined
  ids: string[]
}

function useRecent(user_id: string | undefined) {
  const [kept, setKept] = useState(() => parseStored<Recent>(browser_storage.get(recent_key)))
  const ids = kept && kept.user_id === user_id ? kept.ids : []
  const note = (id: string) => {
    const next = { user_id, ids: [id, ...ids.filter((one) => one !== id)].slice(0, recent_max) }
    browser_storage.set(recent_key, JSON.stringify(next))
    setKept(next)
  }
  return { ids, note }
}

/** Results of the service arrive after the library has selected the first entry. If there was none, Enter must open the first result. */
function useFirstSelected(shown: string) {
  useEffect(() => {
    const list = document.querySelector('[role=dialog] [data-action]')?.closest('[role=dialog]')
    const first = list?.querySelector('[data-action]')
    if (!list?.querySelector('[data-selected]')) first?.setAttribute('data-selected', 'true')
  }, [shown])
}
