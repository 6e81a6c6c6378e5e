import { Button, Group, Input, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState, type ClipboardEvent } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { AddButton, RemoveButton } from '../../ui/list-buttons.tsx'
import { environmentError, mergeVariables, parseEnv, variableError, type Variable } from './env.ts'
import { t } from '../../texts.ts'

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
  label = t('deployments.env-editor.environment'),
  description = t('deployments.env-editor.stored-encrypted-and-never-shown-again'),
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
              aria-label={t('deployments.env-editor.name-of-variable', { at: at + 1 })}
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
              aria-label={t('deployments.env-editor.value-of', {
                name: variable.name || t('deployments.env-editor.variable', { at: at + 1 }),
              })}
              placeholder={t('deployments.env-editor.value')}
              value={variable.value}
              onChange={({ currentTarget }) => set(at, { value: currentTarget.value })}
              spellCheck={false}
              autoComplete="off"
            />
            <RemoveButton
              label={t('common.remove', {
                name: variable.name || t('deployments.env-editor.variable', { at: at + 1 }),
              })}
              onClick={() => onChange(variables.filter((_, index) => index !== at))}
            />
          </Group>
        ))}
        <Group gap={6}>
          <AddButton onClick={() => onChange([...variables, { name: '', value: '' }])}>
            {t('deployments.env-editor.add-a-variable')}
          </AddButton>
          <Button size="compact-sm" variant="subtle" onClick={() => setPasting(true)}>
            {t('deployments.env-editor.paste-a-env-file')}
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
    <Modal opened={opened} onClose={close} title={t('deployments.env-editor.paste-a-env-file')} size="lg">
      <Stack>
        <Textarea
          label={t('deployments.env-editor.content-of-the-file')}
          description={t('deployments.env-editor.name-value-on-each-line-comments')}
          rows={10}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          spellCheck={false}
          data-autofocus
        />
        <Text size="sm" c="dimmed" role="status">
          {found.length === 0
            ? t('deployments.env-editor.no-variable-found-yet')
            : `${t('deployments.env-editor.count', { count: found.length })}: ${found.map(({ name }) => name).join(', ')}`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            disabled={found.length === 0}
            onClick={() => {
              onTake(found)
              close()
            }}
          >
            {t('deployments.env-editor.add-the-variables')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
