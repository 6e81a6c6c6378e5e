import { List, SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { settings } from '../../settings.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { PreviousReason, Rejected } from './app-review.tsx'
import { Copyable } from './copyable.tsx'

/** An app's details, the values for its configuration and the next steps. */
export const AppOverview = ({ app }: { app: MyApp }) => (
  <Stack>
    {app.review.status === 'rejected' && <Rejected app={app} />}
    {app.review.status === 'pending' && <WhilePending app={app} />}
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title="For your code">
        <DescriptionList
          items={[
            ['Client id', <Copyable key="id" value={app.client_id} what="the client id" />],
            ['Plaza', <Copyable key="plaza" value={location.origin} what="Plaza’s address" />],
            [
              'Metadata',
              <Copyable
                key="metadata"
                value={`${location.origin}/.well-known/oauth-authorization-server`}
                what="the address of the metadata"
              />,
            ],
            ...(settings.is_sandbox
              ? ([
                  [
                    'As others see it',
                    <Link key="person" to="/sandbox/persons">
                      Sign in as a test person
                    </Link>,
                  ],
                ] as const)
              : []),
            [
              'Documentation',
              <a key="docs" href="/docs">
                Guides, and every call with its fields and refusals
              </a>,
            ],
          ]}
        />
      </Section>
      <Section title="At a glance">
        <DescriptionList
          items={[
            ['Users', `${formatNumber(app.total_users)} ever connected (with you, if you connected it)`],
            ['May use', app.allowed_scopes.join(', ') || 'nothing'],
            [
              'Comes back to',
              app.redirect_uris.map((uri) => (
                <div key={uri} className="user-content">
                  {uri}
                </div>
              )),
            ],
            ['PKCE', app.require_pkce ? 'required of everybody' : 'required where no secret is sent'],
            ['Website', app.website_url ? <ExternalLink key="website" address={app.website_url} /> : 'not given'],
            ['Registered', <RelativeTime key="registered" at={app.inserted_at} />],
            ['Changed', <RelativeTime key="changed" at={app.updated_at} />],
          ]}
        />
      </Section>
    </SimpleGrid>
  </Stack>
)

const Step = ({ children }: { children: ReactNode }) => <List.Item>{children}</List.Item>

/** Next steps before the review. */
function WhilePending({ app }: { app: MyApp }) {
  const link = { params: { id: app.id } }
  return (
    <Section
      title="Pending review"
      about="An admin reviews it. The decision and its reason are shown here and sent by mail. Until the app is approved, nobody can connect it, not even you. You can prepare everything else."
    >
      <PreviousReason app={app} />
      <List size="sm" spacing={6}>
        <Step>
          Say what it does: the admin reads{' '}
          <Link to="/apps/$id" {...link} search={{ tab: 'settings' }}>
            name, description and website
          </Link>
          {app.app_description ? '' : ' (the description is empty)'}.
        </Step>
        <Step>
          Put the client id and a secret where your server reads them. Lost the secret?{' '}
          <Link to="/apps/$id" {...link} search={{ tab: 'secrets' }}>
            Add another
          </Link>
          .
        </Step>
        <Step>
          Check the{' '}
          <Link to="/apps/$id" {...link} search={{ tab: 'settings' }}>
            redirect URIs
          </Link>
          : they are compared character by character.
        </Step>
        <Step>
          Ask for{' '}
          <Link to="/apps/$id" {...link} search={{ tab: 'scopes' }}>
            further scopes
          </Link>{' '}
          now, so that both are decided together.
        </Step>
        <Step>
          Read the <a href="/docs">guides</a>. The <Link to="/playground">playground</Link> shows what each request
          looks like.
        </Step>
      </List>
    </Section>
  )
}
