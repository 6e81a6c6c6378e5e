import { Button } from '@mantine/core'
import type { ListField } from '../../forms/list-field.ts'
import { ListInput } from '../../forms/list-input.tsx'
import { t } from '../../texts.ts'

export const playgroundUri = () => `${location.origin}/playground/callback`

/** Errors that can be found while typing; the API checks the rest. */
export const redirectUriErrors = (uris: readonly string[]) =>
  uris.map((uri) => (URL.canParse(uri) ? undefined : t('build.redirect-uris.enter-a-whole-address-such-as')))

/** A field for each redirect URI, and a button to add the playground's. */
export function RedirectUris(list: ListField) {
  const own = playgroundUri()
  return (
    <ListInput
      list={list}
      label={t('build.redirect-uris.redirect-uris')}
      description={t('build.redirect-uris.where-people-come-back-to-after')}
      nameOf={(at) => t('build.redirect-uris.redirect-uri', { at })}
      removalOf={(at) => t('build.redirect-uris.remove-redirect-uri', { at })}
      add_label={t('common.add-another')}
      placeholder="https://shop.example/callback"
      inputMode="url"
      buttons={
        !list.items.includes(own) && (
          <Button size="compact-sm" variant="subtle" onClick={() => list.add(own)}>
            {t('build.redirect-uris.add-the-playgrounds')}
          </Button>
        )
      }
    />
  )
}
