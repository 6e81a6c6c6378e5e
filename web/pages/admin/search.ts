import { useDebouncedValue } from '@mantine/hooks'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/**
 * The page's query as it stands in the address, and how to change it: what is undefined goes. A change filters the list
 * and keeps the page, so it never asks about unsaved forms: the search that one types may settle while a drawer is open.
 */
export function useAddress<Name extends string>(path: string) {
  const search = useSearch({ strict: false }) as Partial<Record<Name, string>>
  const { navigate } = useRouter()
  const change = (changes: Partial<Record<Name, string | undefined>>) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== '')
    void navigate({ to: path, search: Object.fromEntries(next) as never, replace: true, ignoreBlocker: true })
  }
  return [search, change] as const
}

/** A word of a closed list out of the address; undefined for any other. */
export const wordOf = <Word extends string>(words: readonly Word[], value: string | undefined): Word | undefined =>
  words.find((word) => word === value)

const uuid_form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Is this an id, as far as one can see? */
export const isId = (text: string) => uuid_form.test(text.trim())

/** Checks a field that may hold an id. */
export const idError = (value: string | undefined) =>
  value === undefined || value.trim() === '' || isId(value)
    ? undefined
    : 'An id has 36 characters, such as 0198c0de-0000-7000-8000-000000000000.'

/** A field whose text goes into the address when typing rests, and follows the address when a link changes it. */
export function useTyped(value: string, onSettled: (text: string) => void) {
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const known = useRef(value)
  const tell = useRef(onSettled)
  useEffect(() => {
    tell.current = onSettled
  })
  useEffect(() => {
    if (settled === known.current) return
    known.current = settled
    tell.current(settled)
  }, [settled])
  useEffect(() => {
    if (value === known.current) return
    known.current = value
    setTyped(value)
  }, [value])
  return [typed, setTyped] as const
}
