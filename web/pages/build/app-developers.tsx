import { Stack } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { settings } from '../../settings.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import type { MyApp } from './access.ts'
import { AppFirstCall } from './app-first-call.tsx'
import { AppScopes } from './app-scopes.tsx'
import { AppSecrets } from './app-secrets.tsx'
import { Copyable } from './copyable.tsx'
import AppWebhooks from './webhooks/app-webhooks.tsx'

/** The parts of the tab, by their URL hash. */
export type DeveloperPart = 'webhooks' | 'secrets' | 'scopes'

/** Everything that an app's code needs: configuration values, webhooks, secrets and scopes. */
export default function AppDevelopers({ app }: { app: MyApp }) {
  return (
    <Stack>
      <ForYourCode app={app} />
      {app.is_approved && <AppFirstCall app={app} />}
      <Part name="webhooks">
        <AppWebhooks app={app} />
      </Part>
      <Part name="secrets">
        <AppSecrets app={app} />
      </Part>
      <Part name="scopes">
        <AppScopes app={app} />
      </Part>
    </Stack>
  )
}

/** A part that is scrolled into view if the URL names it. */
function Part({ name, children }: { name: DeveloperPart; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const is_named = useLocation({ select: ({ hash }) => hash === name })
  useEffect(() => {
    if (is_named) box.current?.scrollIntoView()
  }, [is_named])
  return (
    <div ref={box} id={name}>
      {children}
    </div>
  )
}

const ForYourCode = ({ app }: { app: MyApp }) => (
  <Section title={t('build.app-developers.for-your-code')}>
    <DescriptionList
      items={[
        [
          t('common.client-id'),
          <Copyable key="id" value={app.client_id} what={t('build.app-developers.the-client-id')} />,
        ],
        ['Plaza', <Copyable key="plaza" value={location.origin} what={t('build.app-developers.plazas-address')} />],
        [
          t('build.app-developers.metadata'),
          <Copyable
            key="metadata"
            value={`${location.origin}/.well-known/oauth-authorization-server`}
            what={t('build.app-developers.the-address-of-the-metadata')}
          />,
        ],
        settings.is_sandbox && [
          t('build.app-developers.as-others-see-it'),
          <Link key="person" to="/sandbox/persons">
            {t('build.app-developers.sign-in-as-a-test-person')}
          </Link>,
        ],
        [
          t('common.documentation'),
          <a key="docs" href="/docs">
            {t('build.app-developers.guides-and-every-call-with-its')}
          </a>,
        ],
      ]}
    />
  </Section>
)
