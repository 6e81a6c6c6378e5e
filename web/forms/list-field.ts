import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'

/** A list field with one input per item. */
export interface ListField {
  items: readonly string[]
  /** The props of an item's input. The first item also shows the error of the whole list. */
  item: (at: number) => InputProps
  setItem: (at: number, text: string) => void
  add: (text: string) => void
  remove: (at: number) => void
}
interface InputProps {
  value: string
  error: ReactNode
  'data-path': string
}

/** The items of a list of strings, and their changes. The error of an item moves with it. */
export const listProps =
  <V extends object>(form: UseFormReturnType<V>) =>
  (name: keyof V & string): ListField => {
    const given = form.getValues()[name] as readonly string[]
    const items = given.length === 0 ? [''] : given
    const { errors } = form
    /** Replaces the list; `from` gives the previous index of an item. */
    const replace = (next: readonly string[], from: (at: number) => number) => {
      form.setFieldValue(name, next as never)
      const others = Object.entries(errors).filter(([path]) => path !== name && !path.startsWith(`${name}.`))
      const moved = next.map((_, at): [string, ReactNode] => [`${name}.${at}`, errors[`${name}.${from(at)}`]])
      form.setErrors(Object.fromEntries([...others, ...moved]))
    }
    return {
      items,
      item: (at) => ({
        value: items[at] ?? '',
        error: errors[`${name}.${at}`] ?? (at === 0 ? errors[name] : undefined),
        'data-path': `${name}.${at}`,
      }),
      setItem: (at, text) => {
        form.clearFieldError(name)
        form.setFieldValue(`${name}.${at}`, text as never)
      },
      add: (text) => {
        const remaining = items.flatMap((item, at) => (item === '' && text !== '' ? [] : [at]))
        replace([...remaining.map((at) => items[at] as string), text], (at) => remaining[at] ?? -1)
      },
      remove: (at) => {
        const remaining = items.flatMap((_, place) => (place === at ? [] : [place]))
        replace(
          remaining.map((place) => items[place] as string),
          (place) => remaining[place] ?? -1,
        )
      },
    }
  }
