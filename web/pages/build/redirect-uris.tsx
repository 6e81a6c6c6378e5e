import { Button, Group, Input, Stack, TextInput } from '@mantine/core'
import type { ListField } from '../../forms/list-field.ts'
import { AddButton, RemoveButton } from '../../ui/list-buttons.tsx'

/** The redirect URI of the playground. */
export const playgroundUri = () => `${location.origin}/playground/callback`

/** Errors that can be found while typing; the API checks the rest. */
export const redirectUriErrors = (uris: readonly string[]) =>
  uris.map((uri) => (URL.canParse(uri) ? undefined : 'Enter a whole address, such as https://shop.example/callback.'))

/** A field for each redirect URI, and a button that adds the playground's. */
export function RedirectUris({ items, item, setItem, add, remove }: ListField) {
  const own = playgroundUri()
  return (
    <Input.Wrapper
      labelElement="div"
      label="Redirect URIs"
      description="Where people come back to after they let your app in: https, or http on localhost while you develop."
    >
      <Stack gap={6} mt={4}>
        {items.map((_, at) => (
          <Group key={at} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              {...item(at)}
              flex={1}
              aria-label={`Redirect URI ${at + 1}`}
              onChange={({ currentTarget }) => setItem(at, currentTarget.value.trim())}
              placeholder="https://shop.example/callback"
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
            />
            {items.length > 1 && <RemoveButton label={`Remove redirect URI ${at + 1}`} onClick={() => remove(at)} />}
          </Group>
        ))}
        <Group gap={6}>
          <AddButton onClick={() => add('')}>Add another</AddButton>
          {!items.includes(own) && (
            <Button size="compact-sm" variant="subtle" onClick={() => add(own)}>
              Add the playground’s
            </Button>
          )}
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
