import type { SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { adminListUsers } from '../../../contract/admin.ts'
import { adminListApps } from '../../../contract/admin-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

interface Found {
  options: { value: string; label: string }[]
  isFetching: boolean
  isError: boolean
}

/** The reason why the list of choices is empty. */
function messageOf({ isFetching, isError }: Found, nothing: string) {
  if (isFetching) return t('common.searching')
  return isError ? t('admin.user-picker.the-search-failed') : nothing
}

type PickerProps = Omit<SelectProps, 'data' | 'searchable'>

interface SearchPickerProps extends PickerProps {
  useFound: (query: { limit: number; q?: string }) => Found
  nothing: string
}

/** A select that searches in the service. Its value is an id. */
function SearchPicker({ useFound, nothing, ...props }: SearchPickerProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const [q] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim().slice(0, 100) || (props.value ?? ''), 200)
  const found = useFound({ limit: 20, ...(q !== '' && { q }) })
  const known = chosen && !found.options.some(({ value }) => value === chosen.value) ? [chosen] : []
  return (
    <Select
      {...props}
      value={props.value || null}
      data={[...known, ...found.options]}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      onChange={(value, option) => {
        setChosen(option ?? undefined)
        props.onChange?.(value, option)
      }}
      nothingFoundMessage={messageOf(found, nothing)}
    />
  )
}

function useUsers(query: { limit: number; q?: string }): Found {
  const { data, isFetching, isError } = useApiQuery(adminListUsers, { query })
  const options = (data?.data ?? []).map(({ id, username, email }) => ({ value: id, label: `${username} · ${email}` }))
  return { options, isFetching, isError }
}

function useApps(query: { limit: number; q?: string }): Found {
  const { data, isFetching, isError } = useApiQuery(adminListApps, { query })
  return {
    options: (data?.data ?? []).map(({ id, app_name }) => ({ value: id, label: app_name })),
    isFetching,
    isError,
  }
}

/** Searches people by the beginning of name or e-mail address, or by id. */
export const UserPicker = (props: PickerProps) => (
  <SearchPicker {...props} useFound={useUsers} nothing={t('admin.user-picker.nobody-has-that-name-address-or')} />
)

/** Searches apps by the beginning of the name, or by id. */
export const AppPicker = (props: PickerProps) => (
  <SearchPicker {...props} useFound={useApps} nothing={t('admin.apps.no-app-found')} />
)
