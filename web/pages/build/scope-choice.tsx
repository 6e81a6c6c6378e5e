import { Checkbox, Code, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { scopes, type Scope } from '../../../contract/scopes.ts'

interface ScopeChoiceProps {
  label: ReactNode
  description?: ReactNode
  /** Which scopes stand for choice. */
  offered: readonly Scope[]
  value?: string[]
  onChange: (scopes: string[]) => void
  error?: ReactNode
  /** A word behind a scope. */
  notes?: Partial<Record<Scope, ReactNode>>
}

/** Scopes to tick, each with what it grants, in the contract's words. */
export const ScopeChoice = ({ offered, notes, ...rest }: ScopeChoiceProps) => (
  <Checkbox.Group {...rest}>
    <Stack gap={8} mt={8}>
      {offered.map((scope) => (
        <Checkbox
          key={scope}
          value={scope}
          label={<Code>{scope}</Code>}
          description={
            <>
              {scopes[scope].grants}
              {notes?.[scope] !== undefined && <>. {notes[scope]}</>}
            </>
          }
        />
      ))}
    </Stack>
  </Checkbox.Group>
)
