import { Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { adminListUsers } from '../../../contract/admin.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { t } from '../../texts.ts'

/** Why there is nobody to choose. */
function messageOf({ isFetching, isError }: { isFetching: boolean; isError: boolean }) {
  if (isFetching) return t('common.searching')
  return isError ? t('admin.user-picker.the-search-failed') : t('admin.user-picker.nobody-has-that-name-address-or')
}

/** A select that searches users by prefix of name or e-mail address, or by id. Its value is the id. */
export function UserPicker(props: Omit<SelectProps, 'data' | 'searchable'>) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const [q] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim().slice(0, 254) || (props.value ?? ''), 200)
  const found = useApiQuery(adminListUsers, { query: { limit: 20, ...(q !== '' && { q }) } })
  const options = (found.data?.data ?? []).map(({ id, username, email }) => ({
    value: id,
    label: `${username} · ${email}`,
  }))
  const known = chosen && !options.some(({ value }) => value === chosen.value) ? [chosen] : []
  return (
    <Select
      {...props}
      value={props.value || null}
      data={[...known, ...options]}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      onChange={(value, option) => {
        setChosen(option ?? undefined)
        props.onChange?.(value, option)
      }}
      nothingFoundMessage={messageOf(found)}
    />
  )
}
