import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

/** A word of a closed list out of the address; undefined for any other. */
export const knownValue = <Word extends string>(words: readonly Word[], value: string | undefined): Word | undefined =>
  words.find((word) => word === value)

const uuid_pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Is this an id, as far as one can see? */
export const isId = (text: string) => uuid_pattern.test(text.trim())

/** Checks a field that may hold an id. */
export const idError = (value: string | undefined) =>
  value === undefined || value.trim() === '' || isId(value)
    ? undefined
    : 'An id has 36 characters, such as 0198c0de-0000-7000-8000-000000000000.'

/**
 * A field whose text goes into the address when typing rests, undefined when it is empty, and follows the address when a
 * link changes it.
 */
export function useDebouncedField(value: string, onSettled: (text: string | undefined) => void) {
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
    callback.current(settled === '' ? undefined : settled)
  }, [settled])
  useEffect(() => {
    if (value === last.current) return
    last.current = value
    setTyped(value)
  }, [value])
  return [typed, setTyped] as const
}
