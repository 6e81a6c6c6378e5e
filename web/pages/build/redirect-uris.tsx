import { Button, Group, Input, Stack, TextInput } from '@mantine/core'
import type { ListField } from '../../forms/list-field.ts'
import { AddButton, RemoveButton } from '../../ui/list-buttons.tsx'
import { t } from '../../texts.ts'

/** The redirect URI of the playground. */
export const playgroundUri = () => `${location.origin}/playground/callback`

/** Errors that can be found while typing; the API checks the rest. */
export const redirectUriErrors = (uris: readonly string[]) =>
  uris.map((uri) => (URL.canParse(uri) ? undefined : t('build.redirect-uris.enter-a-whole-address-such-as')))

/** A field for each redirect URI, and a button that adds the playground's. */
export function RedirectUris({ items, item, setItem, add, remove }: ListField) {
  const own = playgroundUri()
  return (
    <Input.Wrapper
      labelElement="div"
      label={t('build.redirect-uris.redirect-uris')}
      description={t('build.redirect-uris.where-people-come-back-to-after')}
    >
      <Stack gap={6} mt={4}>
        {items.map((_, at) => (
          <Group key={at} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              {...item(at)}
              flex={1}
              aria-label={t('build.redirect-uris.redirect-uri', { at: at + 1 })}
              onChange={({ currentTarget }) => setItem(at, currentTarget.value.trim())}
              placeholder="https://shop.example/callback"
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
            />
            {items.length > 1 && (
              <RemoveButton
                label={t('build.redirect-uris.remove-redirect-uri', { at: at + 1 })}
                onClick={() => remove(at)}
              />
            )}
          </Group>
        ))}
        <Group gap={6}>
          <AddButton onClick={() => add('')}>{t('build.redirect-uris.add-another')}</AddButton>
          {!items.includes(own) && (
            <Button size="compact-sm" variant="subtle" onClick={() => add(own)}>
              {t('build.redirect-uris.add-the-playgrounds')}
            </Button>
          )}
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
