import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'

/** Where people land when they come back to the playground: to be registered for the app that is tried there. */
export const playgroundUri = () => `${location.origin}/playground/callback`

/** What can be seen of a redirect URI while it is typed; the rest is the service's to judge. */
export const redirectUriFault = (uris: readonly string[]) =>
  uris.some((uri) => uri !== '' && !URL.canParse(uri))
    ? 'Enter whole addresses, such as https://shop.example/callback.'
    : undefined

interface RedirectUrisProps {
  /** The list; with `onChange` and `error` as a form's field hands them over. */
  value?: string[]
  onChange: (uris: string[]) => void
  onBlur?: () => void
  error?: ReactNode
}

/** One line for each redirect URI, and a button that adds the playground's. */
export function RedirectUris({ value = [], onChange, onBlur, error }: RedirectUrisProps) {
  const uris = value.length === 0 ? [''] : value
  const set = (at: number, uri: string) => onChange(uris.map((old, index) => (index === at ? uri.trim() : old)))
  const own = playgroundUri()
  const add = (uri: string) => onChange([...uris.filter((old) => old !== ''), uri])
  return (
    <Input.Wrapper
      labelElement="div"
      label="Redirect URIs"
      description="Where people come back to after they let your app in: https, or http on localhost while you develop."
      {...(error !== undefined && { error })}
    >
      <Stack gap={6} mt={4} mb={error ? 4 : 0}>
        {uris.map((uri, at) => (
          <Group key={at} gap={6} wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={`Redirect URI ${at + 1}`}
              value={uri}
              onChange={({ currentTarget }) => set(at, currentTarget.value)}
              onBlur={onBlur}
              placeholder="https://shop.example/callback"
              error={error !== undefined && error !== null && (uri === '' || !URL.canParse(uri))}
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
            />
            {uris.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove redirect URI ${at + 1}`}
                onClick={() => onChange(uris.filter((_, index) => index !== at))}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        <Group gap={6}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => onChange([...uris, ''])}
          >
            Add another
          </Button>
          {!uris.includes(own) && (
            <Button size="compact-sm" variant="subtle" onClick={() => add(own)}>
              Add the playground’s
            </Button>
          )}
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
