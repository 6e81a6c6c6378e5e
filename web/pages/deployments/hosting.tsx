import { NativeSelect, Stack } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { AccessGate } from '../build/access-gate.tsx'
import type { MyApp } from '../build/access.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

interface HostingProps {
  /** The purpose, completing “Open the app’s access to …”. */
  what: string
  /** Shows a select of the user's apps. */
  has_app_choice?: boolean
  /** Deploying is impossible: only an app that already had the scope has something to show. */
  is_off?: boolean
  /** Shown above while the children are not rendered. */
  head?: ReactNode
  children: (app: MyApp) => ReactNode
}

/** Selects the app of the page (`?app=` in the URL) and renders its children behind the access gate. */
export function Hosting({ what, has_app_choice = false, is_off = false, head, children }: HostingProps) {
  const router = useRouter()
  const { app: requested_id } = useSearch({ strict: false })
  const query = useApiQuery(listMyApps, {})
  return (
    <QueryResult query={query}>
      {(apps) => {
        const app = apps.find(({ id }) => id === requested_id) ?? defaultApp(apps)
        if (is_off && !app?.allowed_scopes.includes('deploy:manage')) return head
        if (!app)
          return (
            <>
              {head}
              <NoApps />
            </>
          )
        return (
          <Stack>
            {has_app_choice && apps.length > 1 && (
              // Mantine's Select would load all floating components before the page is drawn.
              <NativeSelect
                label={t('common.app')}
                maw={340}
                value={app.id}
                onChange={({ currentTarget: { value } }) =>
                  void router.navigate({ to: '.', search: { app: value }, replace: true })
                }
                data={apps.map(({ id, app_name }) => ({ value: id, label: app_name }))}
              />
            )}
            <AccessGate key={app.id} app={app} scope="deploy:manage" what={what} head={head}>
              {children(app)}
            </AccessGate>
          </Stack>
        )
      }}
    </QueryResult>
  )
}

/** An app that may host containers, otherwise the first. */
const defaultApp = (apps: MyApp[]) =>
  apps.find(({ is_approved, allowed_scopes }) => is_approved && allowed_scopes.includes('deploy:manage')) ?? apps[0]

const NoApps = () => (
  <Section>
    <EmptyState icon="box" title={t('deployments.hosting.deployments-belong-to-an-app')}>
      <RichText k="deployments.hosting.you-have-none-yet-register-one" bold={(part) => <b>{part}</b>} />
      <br />
      <LinkButton to="/apps/new" size="sm" mt="md">
        {t('common.register-an-app')}
      </LinkButton>
    </EmptyState>
  </Section>
)
