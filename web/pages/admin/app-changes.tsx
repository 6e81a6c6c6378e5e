import { Alert, Stack, Text } from '@mantine/core'
import { shownAddress } from '../../../contract/addresses.ts'
import type { adminListApps } from '../../../contract/admin-apps.ts'
import type { AnswerOf } from '../../api/call.ts'
import { differenceOf, wordsOf, type Part } from '../../ui/difference.ts'
import classes from './app-changes.module.css'
import { t } from '../../texts.ts'

export type AdminApp = AnswerOf<typeof adminListApps>['data'][number]

type Shown = NonNullable<AdminApp['approved']> &
  Partial<Pick<AdminApp, 'allowed_scopes' | 'require_pkce' | 'require_dpop' | 'backchannel_logout_uri'>>

/** The changes of an app since its approval, or of a resubmitted one since the last decision. */
export function AppChanges({ app }: { app: AdminApp }) {
  const is_pending = app.status === 'pending'
  const before: Shown | null = is_pending ? app.decided_fields : app.approved
  if (!before) return null
  const changes = fieldsOf({ ...app, ...before }).flatMap(({ name, tokens }, at) => {
    const parts = differenceOf(tokens, fieldsOf(app)[at]!.tokens)
    return parts.every(({ kind }) => kind === 'same') ? [] : [{ name, parts }]
  })
  return (
    <Alert
      color={is_pending ? 'gray' : 'yellow'}
      title={is_pending ? t('admin.app-changes.changed-since-the-last-decision') : t('common.changed-since-approval')}
      mb="md"
    >
      {changes.length === 0 ? t('admin.app-changes.nothing-has-changed') : <Changes changes={changes} />}
    </Alert>
  )
}

const Changes = ({ changes }: { changes: readonly { name: string; parts: Part[] }[] }) => (
  <Stack gap="sm" role="list" aria-label={t('admin.app-changes.what-changed')}>
    {changes.map(({ name, parts }) => (
      <div key={name} role="listitem">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" className={`user-content ${classes.difference}`}>
          {parts.map(({ kind, text }, at) => {
            const Element = kind === 'same' ? 'span' : kind === 'removed' ? 'del' : 'ins'
            return <Element key={at}>{text}</Element>
          })}
        </Text>
      </div>
    ))}
  </Stack>
)

const fieldsOf = (app: Shown) => [
  { name: t('common.name'), tokens: wordsOf(app.app_name) },
  { name: t('common.description'), tokens: wordsOf(app.app_description ?? '') },
  { name: t('common.logo'), tokens: address(app.logo_url) },
  { name: t('common.website'), tokens: address(app.website_url) },
  { name: t('common.sends-people-to'), tokens: lines(app.redirect_uris) },
  { name: t('common.scopes'), tokens: lines(app.allowed_scopes ?? []) },
  { name: 'PKCE', tokens: [requirement(app.require_pkce)] },
  { name: 'DPoP', tokens: [requirement(app.require_dpop)] },
  { name: t('common.back-channel-logout'), tokens: address(app.backchannel_logout_uri ?? null) },
]

export const requirement = (is_required = false) =>
  is_required ? t('admin.app-queue.required') : t('admin.app-queue.not-required')
const address = (value: string | null) => lines(value === null ? [] : [shownAddress(value)])
const lines = (values: readonly string[]) => values.map((value) => `${value}\n`)
