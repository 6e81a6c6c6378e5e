import { Group, Input, Stack, TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { AddButton, RemoveButton } from '../ui/list-buttons.tsx'
import type { ListField } from './list-field.ts'

interface ListInputProps extends Pick<TextInputProps, 'placeholder' | 'inputMode'> {
  list: ListField
  label: string
  description: string
  /** The labels of an input and of the button that removes it; numbers start at 1. */
  nameOf: (number: number) => string
  removalOf: (number: number) => string
  add_label: string
  /** Whether an empty list may be shown without an input. */
  may_be_empty?: boolean
  /** Further buttons. */
  buttons?: ReactNode
}

/** A list of texts: an input for each, and a button to add another. */
export function ListInput(props: ListInputProps) {
  const { list, label, description, nameOf, removalOf, add_label, may_be_empty = false, buttons, ...input } = props
  const { items, item, setItem, add, remove } = list
  const change = (at: number, text: string) =>
    may_be_empty && text === '' && items.length === 1 ? remove(at) : setItem(at, text)
  return (
    <Input.Wrapper labelElement="div" label={label} description={description}>
      <Stack gap={6} mt={4}>
        {items.map((_, at) => (
          <Group key={at} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              {...item(at)}
              {...input}
              flex={1}
              aria-label={nameOf(at + 1)}
              onChange={({ currentTarget }) => change(at, currentTarget.value.trim())}
              autoCapitalize="none"
              spellCheck={false}
            />
            {items.length > 1 && <RemoveButton label={removalOf(at + 1)} onClick={() => remove(at)} />}
          </Group>
        ))}
        <Group gap={6}>
          <AddButton onClick={() => add('')}>{add_label}</AddButton>
          {buttons}
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
