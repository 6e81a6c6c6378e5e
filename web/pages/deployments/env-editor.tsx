import { Button, Group, Input, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState, type ClipboardEvent } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { AddButton, RemoveButton } from '../../ui/list-buttons.tsx'
import { environmentError, mergeVariables, parseEnv, variableError, type Variable } from './env.ts'

interface EnvEditorProps {
  variables: Variable[]
  onChange: (variables: Variable[]) => void
  label?: string
  description?: string
}

/** A row per variable. Assignments pasted into a name field are imported as a .env file. */
export function EnvEditor({
  variables,
  onChange,
  label = 'Environment',
  description = 'Stored encrypted and never shown again, not even here. PORT is set by Plaza.',
}: EnvEditorProps) {
  const [pasting, setPasting] = useState(false)
  const set = (at: number, change: Partial<Variable>) =>
    onChange(variables.map((old, index) => (index === at ? { ...old, ...change } : old)))
  const importPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const found = parseEnv(event.clipboardData.getData('text'))
    if (found.length === 0) return
    event.preventDefault()
    onChange(mergeVariables(variables, found))
  }
  const error = variables.length > 0 ? environmentError(variables) : undefined
  return (
    <Input.Wrapper labelElement="div" label={label} description={description} error={error}>
      <Stack gap={6} mt={6} mb={error === undefined ? 0 : 6}>
        {variables.map((variable, at) => (
          <Group key={at} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              flex={2}
              miw={0}
              aria-label={`Name of variable ${at + 1}`}
              placeholder="NAME"
              value={variable.name}
              error={variableError(variable, variables)}
              onChange={({ currentTarget }) => set(at, { name: currentTarget.value.trim() })}
              onPaste={importPaste}
              spellCheck={false}
              autoCapitalize="none"
            />
            <Textarea
              flex={3}
              miw={0}
              rows={1}
              autosize
              maxRows={4}
              aria-label={`Value of ${variable.name || `variable ${at + 1}`}`}
              placeholder="value"
              value={variable.value}
              onChange={({ currentTarget }) => set(at, { value: currentTarget.value })}
              spellCheck={false}
              autoComplete="off"
            />
            <RemoveButton
              label={`Remove ${variable.name || `variable ${at + 1}`}`}
              onClick={() => onChange(variables.filter((_, index) => index !== at))}
            />
          </Group>
        ))}
        <Group gap={6}>
          <AddButton onClick={() => onChange([...variables, { name: '', value: '' }])}>Add a variable</AddButton>
          <Button size="compact-sm" variant="subtle" onClick={() => setPasting(true)}>
            Paste a .env file
          </Button>
        </Group>
      </Stack>
      <PasteDialog
        opened={pasting}
        onClose={() => setPasting(false)}
        onTake={(found) => onChange(mergeVariables(variables, found))}
      />
    </Input.Wrapper>
  )
}

function PasteDialog({
  opened,
  onClose,
  onTake,
}: {
  opened: boolean
  onClose: () => void
  onTake: (found: Variable[]) => void
}) {
  const [text, setText] = useState('')
  const found = parseEnv(text)
  const close = () => {
    setText('')
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title="Paste a .env file" size="lg">
      <Stack>
        <Textarea
          label="Content of the file"
          description="NAME=value on each line. Comments are ignored, quotes are removed."
          rows={10}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          spellCheck={false}
          data-autofocus
        />
        <Text size="sm" c="dimmed" role="status">
          {found.length === 0
            ? 'No variable found yet.'
            : `${found.length === 1 ? '1 variable' : `${found.length} variables`}: ${found.map(({ name }) => name).join(', ')}`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            disabled={found.length === 0}
            onClick={() => {
              onTake(found)
              close()
            }}
          >
            Add the variables
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
