import { Button, Checkbox, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { listMyApps, removeLogo, setLogo, updateMyApp } from '../../../contract/oauth-apps.ts'
import { queryKeyOf, useApiMutation } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { AppLogo } from '../../ui/app-logo.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PictureChoice } from '../../ui/picture-choice.tsx'
import type { MyApp } from './access.ts'
import { may, NeedsRole } from './may.tsx'
import { RedirectUris, redirectUriErrors } from './redirect-uris.tsx'
import { t } from '../../texts.ts'

const valuesOf = (app: MyApp) => ({
  app_name: app.app_name,
  app_description: app.app_description ?? '',
  redirect_uris: app.redirect_uris,
  website_url: app.website_url ?? '',
  logo_url: app.logo_url ?? '',
  require_pkce: app.require_pkce,
  require_par: app.require_par,
  require_dpop: app.require_dpop,
  backchannel_logout_uri: app.backchannel_logout_uri ?? '',
})

/** Edits name, description, links, redirect URIs, PKCE and the logout address of an app. An emptied field is saved as empty. */
export default function AppSettings({ app }: { app: MyApp }) {
  const queries = useQueryClient()
  const { field, list, form, props, busy, failure } = useContractForm(updateMyApp, {
    initial: valuesOf(app),
    validators: {
      app_name: (name) => (name === '' ? t('common.fill-this-in') : undefined),
      redirect_uris: redirectUriErrors,
    },
    lists: ['redirect_uris'],
    validate_on_change: true,
    changes_only: true,
    toInput: (body) => ({ params: { id: app.id }, body }),
    onDone: async (_answer, values) => {
      form.resetDirty(values)
      await queries.invalidateQueries({ queryKey: queryKeyOf(listMyApps) })
      notify(t('common.saved'))
    },
  })
  /** A newer version from the server replaces only fields without unsaved input. */
  const shown = useRef(app.updated_at)
  useEffect(() => {
    if (shown.current === app.updated_at) return
    shown.current = app.updated_at
    const newest = valuesOf(app)
    const typed = Object.entries(form.getValues()).filter(([name]) => form.isDirty(name))
    form.resetDirty(newest)
    form.setValues({ ...newest, ...Object.fromEntries(typed) })
  })
  return (
    <Section maw={760}>
      <form {...props}>
        <fieldset disabled={!may(app, updateMyApp)} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
          <Stack gap="lg">
            {!may(app, updateMyApp) && <NeedsRole of={updateMyApp} />}
            <TextInput {...field('app_name')} label={t('common.name')} />
            <Textarea {...field('app_description')} label={t('common.description')} autosize minRows={2} />
            <RedirectUris {...list('redirect_uris')} />
            <TextInput {...field('website_url')} label={t('common.website')} inputMode="url" />
            {may(app, setLogo) && <Logo app={app} />}
            <TextInput {...field('logo_url')} label={t('build.app-settings.address-of-the-logo')} inputMode="url" />
            <Checkbox
              {...field('require_pkce', 'checkbox')}
              label={t('common.require-pkce')}
              description={t('common.a-stolen-code-is-then-useless')}
            />
            <Checkbox
              {...field('require_par', 'checkbox')}
              label={t('build.app-settings.require-par')}
              description={t('build.app-settings.require-par-hint')}
            />
            <Checkbox
              {...field('require_dpop', 'checkbox')}
              label={t('build.app-settings.require-dpop')}
              description={t('build.app-settings.require-dpop-hint')}
            />
            <TextInput
              {...field('backchannel_logout_uri')}
              label={t('common.back-channel-logout')}
              description={t('build.app-settings.back-channel-logout-hint')}
              inputMode="url"
            />
            <FailureNote error={failure} />
            {may(app, updateMyApp) && (
              <Group justify="flex-end">
                <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                  {t('common.undo')}
                </Button>
                <Button type="submit" loading={busy} disabled={!form.isDirty()}>
                  {t('common.save-changes')}
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
    </Section>
  )
}

/** The logo: uploaded here, or at the address in the field below. */
function Logo({ app }: { app: MyApp }) {
  const params = { id: app.id }
  const save = useApiMutation(setLogo, { invalidates: [listMyApps] })
  const remove = useApiMutation(removeLogo, { invalidates: [listMyApps] })
  return (
    <PictureChoice
      fit="contain"
      has_picture={app.logo_url !== null}
      save={(picture) => save.mutateAsync({ params, body: { picture } })}
      remove={() => remove.mutateAsync({ params })}
      about={t('build.app-settings.about-the-logo')}
    >
      {(preview) => (
        <AppLogo
          app={app.id}
          name={app.app_name}
          logo_url={app.logo_url}
          is_private={app.review.status !== 'approved'}
          preview={preview}
          size={96}
        />
      )}
    </PictureChoice>
  )
}
