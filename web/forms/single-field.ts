import { useState, type ChangeEvent, type SubmitEvent } from 'react'
import { useErrorFocus } from './error-focus.ts'
import { t } from '../texts.ts'

interface SingleField {
  /** The error of a non-empty value. */
  validate: (value: string) => string | undefined
  onSubmit: (value: string) => void
}

/** A form with one required text field. Validated on submit, with surrounding spaces removed. */
export function useSingleField({ validate, onSubmit }: SingleField) {
  const [value, setValue] = useState('')
  const [error, setError] = useState<string>()
  const { ref, focusError } = useErrorFocus()
  const submit = () => {
    const trimmed = value.trim()
    const found = trimmed === '' ? t('common.fill-this-in') : validate(trimmed)
    setError(found)
    if (found === undefined) onSubmit(trimmed)
    else focusError()
  }
  return {
    form: {
      ref,
      noValidate: true,
      onSubmit: (event: SubmitEvent) => {
        event.preventDefault()
        submit()
      },
    },
    field: {
      value,
      onChange: (event: ChangeEvent<HTMLInputElement>) => setValue(event.currentTarget.value),
      error,
    },
  }
}
