import { PasswordInput, Text, type PasswordInputProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { decisions } from '../../contract/decisions.ts'
import { t } from '../texts.ts'

const { password_min } = decisions.passwords

/**
 * An input for a new password that reports a common one. The list of common passwords is loaded when the text is first
 * long enough.
 */
export function NewPasswordInput(props: PasswordInputProps) {
  const [is_common, setIsCommon] = useState(false)
  const newest = useRef('')
  const check = async (value: string) => {
    newest.current = value
    const found = value.length >= password_min && (await loadList())?.isCommon(value) === true
    if (newest.current === value) setIsCommon(found)
  }
  return (
    <div>
      <PasswordInput
        {...props}
        autoComplete="new-password"
        onChange={(event) => {
          props.onChange?.(event)
          void check(event.currentTarget.value)
        }}
      />
      <Text role="status" size="sm" fw={550} mt={is_common ? 4 : 0}>
        {is_common && t('forms.new-password-input.common')}
      </Text>
    </div>
  )
}

/** The list; undefined if it cannot be loaded: it is advice only. */
const loadList = () => import('./common-passwords.ts').catch(() => undefined)
