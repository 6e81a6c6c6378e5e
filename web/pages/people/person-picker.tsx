import type { SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { listFriends, searchUsers, user_search_min } from '../../../contract/social.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'
import type { Person } from './friend-relations.ts'

interface PersonPickerProps extends Omit<SelectProps, 'data' | 'searchable' | 'onChange'> {
  friends_only: boolean
  onPick: (person: Person | undefined) => void
}

/** A select of friends, and of everybody whose username begins with the typed text. Its value is the id. */
export function PersonPicker({ friends_only, onPick, ...props }: PersonPickerProps) {
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<Person>()
  const [q] = useDebouncedValue(typed.trim(), 200)
  const friends = useApiQuery(listFriends, {})
  const found = useApiQuery(searchUsers, { query: { q } }, { enabled: !friends_only && q.length >= user_search_min })
  const known = [...(picked ? [picked] : []), ...(friends.data ?? []), ...(found.data?.users ?? [])]
  const people = new Map(known.map((person) => [person.id, person]))
  return (
    <Select
      {...props}
      value={props.value || null}
      data={[...people.values()].map(({ id, username }) => ({ value: id, label: username }))}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => {
        const person = people.get(id ?? '')
        setPicked(person)
        onPick(person)
      }}
      nothingFoundMessage={
        found.isFetching
          ? t('common.searching')
          : friends_only
            ? t('people.person-picker.no-friend-has-that-name')
            : t('people.person-picker.nobody-has-that-name')
      }
    />
  )
}
