import { Loader, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

/**
 * The state of a field that is debounced into a URL parameter (undefined if empty) and follows the URL when a link
 * changes it. It does not replace a page that is opened in the meantime with a search of this one.
 */
export function useDebouncedField(value: string, onSettled: (text: string | undefined) => void) {
  const router = useRouter()
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const last = useRef(value)
  const callback = useRef(onSettled)
  useEffect(() => {
    callback.current = onSettled
  })
  useEffect(() => {
    if (settled === last.current) return
    last.current = settled
    const { location, resolvedLocation } = router.state
    if (location.pathname === resolvedLocation?.pathname) callback.current(settled === '' ? undefined : settled)
  }, [settled, router])
  useEffect(() => {
    if (value === last.current) return
    last.current = value
    setTyped(value)
  }, [value])
  return [typed, setTyped] as const
}

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The text in the URL. */
  value: string | undefined
  /** Called when typing pauses; undefined if the field is empty. */
  onSearch: (text: string | undefined) => void
  /** Shows a magnifier, and whether the list is being read. */
  is_reading?: boolean
}

/** A text by which a list is filtered. */
export function SearchField({ value = '', onSearch, is_reading, ...props }: SearchFieldProps) {
  const [typed, setTyped] = useDebouncedField(value, onSearch)
  return (
    <TextInput
      {...(is_reading !== undefined && {
        leftSection: <Icon name="search" size={16} />,
        rightSection: is_reading && <Loader size="xs" />,
      })}
      type="search"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      {...props}
    />
  )
}
