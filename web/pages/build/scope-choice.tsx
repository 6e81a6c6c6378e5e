import { Checkbox, Code, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Scope } from '../../../contract/kinds/scopes.ts'
import { grantOf } from '../../ui/grant-of.ts'

interface ScopeChoiceProps {
  label: ReactNode
  description?: ReactNode
  offered: readonly Scope[]
  value?: string[]
  onChange: (scopes: string[]) => void
  error?: ReactNode
  disabled?: boolean
  /** Text after a scope. */
  notes?: Partial<Record<Scope, ReactNode>>
}

/** Checkboxes of scopes with the contract's descriptions. */
export const ScopeChoice = ({ offered, notes, disabled = false, ...rest }: ScopeChoiceProps) => (
  <Checkbox.Group {...rest}>
    <Stack gap={8} mt={8}>
      {offered.map((scope) => (
        <Checkbox
          key={scope}
          value={scope}
          disabled={disabled}
          label={<Code>{scope}</Code>}
          description={
            <>
              {grantOf(scope)}
              {notes?.[scope] !== undefined && <>. {notes[scope]}</>}
            </>
          }
        />
      ))}
    </Stack>
  </Checkbox.Group>
)
