import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'

/** A list that shows each item as a field of its own. */
export interface ListField {
  items: readonly string[]
  /** The props of an item's input. What is wrong with the list as a whole stands at its first item. */
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

/** Reads and changes a list of texts; what is wrong with an item moves with it. */
export const listProps =
  <V extends object>(form: UseFormReturnType<V>) =>
  (name: keyof V & string): ListField => {
    const given = form.getValues()[name] as readonly string[]
    const items = given.length === 0 ? [''] : given
    const { errors } = form
    /** Puts another list in the place of this one; `from` says at which place an item stood before. */
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
        const kept = items.flatMap((item, at) => (item === '' && text !== '' ? [] : [at]))
        replace([...kept.map((at) => items[at] as string), text], (at) => kept[at] ?? -1)
      },
      remove: (at) => {
        const kept = items.flatMap((_, place) => (place === at ? [] : [place]))
        replace(
          kept.map((place) => items[place] as string),
          (place) => kept[place] ?? -1,
        )
      },
    }
  }
