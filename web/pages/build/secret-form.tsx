import { Checkbox, Code, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createSecret, listSecrets } from '../../../contract/oauth-apps.ts'
import { secret_permission_names, type SecretPermission } from '../../../contract/kinds/secret-permissions.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { ListInput } from '../../forms/list-input.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'
import type { MyApp } from './access.ts'

const grants: Record<SecretPermission, () => string> = {
  token: () => t('build.secret-form.sign-people-in'),
  payments_read: () => t('build.secret-form.read-payments'),
  payments: () => t('build.secret-form.refund'),
  payouts: () => t('build.secret-form.pay-people'),
  deploy: () => t('build.secret-form.deploy'),
  registry: () => t('build.secret-form.push-images'),
  webhooks: () => t('build.secret-form.read-events'),
}

const ends = ['30', '90', '365']
const dayInMs = 86_400_000

interface SecretFormProps {
  app: MyApp
  onSecret: (client_secret: string) => void
  onClose: () => void
}

/** Adds a secret: its name, permissions, expiry and allowed networks. */
export function SecretForm({ app, onSecret, onClose }: SecretFormProps) {
  const [all, setAll] = useState(true)
  const [days, setDays] = useState<string | null>(null)
  const form = useContractForm(createSecret, {
    initial: { name: '', permissions: [] as SecretPermission[], allowed_addresses: [] as string[] },
    validators: {
      permissions: (chosen) => (!all && chosen.length === 0 ? t('common.choose-at-least-one') : undefined),
    },
    lists: ['allowed_addresses'],
    toInput: ({ permissions, ...body }) => ({
      params: { id: app.id },
      body: {
        ...body,
        ...(!all && { permissions }),
        ...(days !== null && { expires_at: new Date(Date.now() + Number(days) * dayInMs).toISOString() }),
      },
    }),
    invalidates: [listSecrets],
    onDone: ({ client_secret }) => {
      onClose()
      onSecret(client_secret)
    },
  })
  return (
    <FormDialog form={form} title={t('common.add-a-secret')} action={t('common.add-a-secret')} onClose={onClose}>
      <TextInput
        {...form.field('name')}
        label={t('common.name')}
        description={t('build.secret-form.where-it-is-used')}
        placeholder={t('build.secret-form.build-server')}
        data-autofocus
      />
      <Checkbox
        label={t('build.secret-form.everything')}
        description={t('build.secret-form.a-key-that-can-do-less')}
        checked={all}
        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
      />
      {!all && <Permissions {...form.field('permissions')} />}
      <Select
        label={t('common.expires')}
        description={t('build.secret-form.you-get-a-mail')}
        placeholder={t('ui.format.never')}
        data={ends.map((value) => ({ value, label: t('build.secret-form.in-days', { days: Number(value) }) }))}
        value={days}
        onChange={setDays}
        clearable
      />
      <ListInput
        list={form.list('allowed_addresses')}
        label={t('build.secret-form.networks')}
        description={t('build.secret-form.only-from-these')}
        nameOf={(at) => t('build.secret-form.network', { at })}
        removalOf={(at) => t('build.secret-form.remove-network', { at })}
        add_label={t('common.add-another')}
        placeholder="203.0.113.0/24"
        may_be_empty
      />
    </FormDialog>
  )
}

interface PermissionsProps {
  value?: string[]
  onChange: (chosen: string[]) => void
}

const Permissions = (props: PermissionsProps) => (
  <Checkbox.Group {...props} label={t('build.secret-form.permissions')}>
    <Stack gap={8} mt={8}>
      {secret_permission_names.map((name) => (
        <Checkbox
          key={name}
          value={name}
          label={
            <>
              {grants[name]()} <Code>{name}</Code>
            </>
          }
        />
      ))}
    </Stack>
  </Checkbox.Group>
)
