import { Loader, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

/**
 * The state of a field that is debounced into a URL parameter (undefined if empty) and follows the URL when a link
 * changes it. A field that is removed, such as one in a sheet that closes, does not wait. It does not replace a page or a
 * tab that is opened in the meantime with a search of this one.
 */
export function useDebouncedField(value: string, onSettled: (text: string | undefined) => void) {
  const router = useRouter()
  const [typed, setTyped] = useState(value)
  const last = useRef(value)
  // Before the effect of the debounced callback, which calls it at the removal.
  const mounted = useRef(false)
  useEffect(() => {
    mounted.current = true
    return () => void (mounted.current = false)
  }, [])
  const settle = useDebouncedCallback(
    (text: string, typed_at: { pathname: string; href: string } | undefined) => {
      const { pathname, href } = router.state.location
      if (text === last.current || pathname !== typed_at?.pathname || !(mounted.current || href === typed_at.href))
        return
      last.current = text
      onSettled(text === '' ? undefined : text)
    },
    { delay: 250, flushOnUnmount: true },
  )
  useEffect(() => {
    if (value === last.current) return
    last.current = value
    settle.cancel()
    setTyped(value)
  }, [value, settle])
  const type = (text: string) => {
    setTyped(text)
    settle(text.trim(), router.state.resolvedLocation)
  }
  return [typed, type] as const
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
