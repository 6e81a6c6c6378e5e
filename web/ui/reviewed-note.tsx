import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { describeAuthorization } from '../../contract/oauth.ts'
import type { AnswerOf } from '../api/call.ts'
import { t } from '../texts.ts'
import { Address } from './external-link.tsx'
import { Icon } from './icon.tsx'

type Reviewed = NonNullable<AnswerOf<typeof describeAuthorization>['app']['reviewed']>

interface Shown {
  app_name: string
  app_description: string | null
  logo_url: string | null
  website_url?: string | null
  reviewed?: Reviewed
}

/** Says that an app has changed since an admin reviewed it, and shows the reviewed state (D-117). */
export function ReviewedNote({ app, redirect_host }: { app: Shown; redirect_host?: string }) {
  const { reviewed } = app
  if (!reviewed) return null
  const parts: [key: string, label: string, value: ReactNode][] = []
  if (reviewed.app_name !== app.app_name) parts.push(['name', t('common.name'), reviewed.app_name])
  if (reviewed.app_description !== app.app_description)
    parts.push(['about', t('common.description'), reviewed.app_description ?? t('common.none')])
  if (reviewed.logo_url !== app.logo_url) parts.push(['logo', t('common.logo'), addressOf(reviewed.logo_url)])
  if (app.website_url !== undefined && reviewed.website_url !== app.website_url)
    parts.push(['website', t('common.website'), addressOf(reviewed.website_url)])
  const goes_elsewhere = redirect_host !== undefined && !reviewed.redirect_hosts.includes(redirect_host)
  if (goes_elsewhere || parts.length === 0)
    parts.push(['hosts', t('ui.reviewed-note.sends-you-to'), reviewed.redirect_hosts.join(', ')])
  return (
    <Alert
      mt="sm"
      color="yellow"
      icon={<Icon name="alert" />}
      title={t('ui.reviewed-note.changed-since-it-was-reviewed')}
    >
      {t('ui.reviewed-note.before')}
      {parts.map(([key, label, value]) => (
        <Text key={key} size="sm" lineClamp={3}>
          {label}: <bdi className="user-content">{value}</bdi>
        </Text>
      ))}
    </Alert>
  )
}

const addressOf = (address: string | null) => (address === null ? t('common.none') : <Address>{address}</Address>)
