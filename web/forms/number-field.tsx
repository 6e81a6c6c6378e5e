import { TextInput, type TextInputProps } from '@mantine/core'
import { useState, type FocusEvent } from 'react'
import { locale } from '../texts.ts'
import { numberText, parseNumber } from './number.ts'

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur'> {
  /** A number; the typed text if it is not a number. */
  value?: number | string
  onChange?: (value: number | string) => void
  onBlur?: (event: FocusEvent<HTMLInputElement>) => void
  /** Whether fractions are allowed: phones then show a keyboard with a decimal separator. */
  decimal?: boolean
  /** Whether to separate thousands; false for a port. */
  grouped?: boolean
}

/**
 * A number input in the format of the person's language. Any other text stays as typed and becomes the value, which the
 * form's validation then refuses.
 */
export function NumberField({
  value = '',
  onChange,
  onBlur,
  decimal = false,
  grouped = true,
  ...others
}: NumberFieldProps) {
  const [typed, setTyped] = useState<string>()
  const valueOf = (text: string) => parseNumber(text, locale) ?? text.trim()
  const shown = typeof value === 'number' ? numberText(value, locale, grouped) : value
  return (
    <TextInput
      {...others}
      value={typed !== undefined && valueOf(typed) === value ? typed : shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange?.(valueOf(currentTarget.value))
      }}
      onBlur={(event) => {
        setTyped(undefined)
        onBlur?.(event)
      }}
      inputMode={decimal ? 'decimal' : 'numeric'}
      autoComplete="off"
    />
  )
}
