import type { ChangeEvent } from 'react'

const is_whole = /^\s*\d{3}\s?\d{3}\s*$/

/** The props of an input for a six-digit code: the sixth digit submits the form; other codes need the button. */
export function submitsCode<Props extends object>(props: Props) {
  const { onChange } = props as { onChange?: (event: ChangeEvent<HTMLInputElement>) => void }
  return {
    ...props,
    onChange(event: ChangeEvent<HTMLInputElement>) {
      onChange?.(event)
      if (is_whole.test(event.currentTarget.value)) event.currentTarget.form?.requestSubmit()
    },
  }
}
