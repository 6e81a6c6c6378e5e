import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { listPasskeys } from '../../../contract/passkeys.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { has_passkeys } from '../../session/passkey-sign-in.tsx'
import { settings } from '../../settings.ts'
import { RelativeTime } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { lazyDialog } from '../../ui/lazy-component.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import type { Passkey, PasskeyAction } from './passkey-dialog.tsx'
import { PasskeySecondFactor } from './passkey-second-factor.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const PasskeyDialog = lazyDialog(() => import('./passkey-dialog.tsx'))

/** The passkeys of the account: add, rename and remove them, and require one after the password. */
export default function Passkeys({ totp_enabled }: { totp_enabled: boolean }) {
  const query = useApiQuery(listPasskeys, {})
  if (!settings.has_passkeys)
    return (
      <Text size="sm">
        <RichText k="account.passkeys.this-plaza-cannot-have-passkeys-browsers" bdi={<bdi>{location.origin}</bdi>} />
      </Text>
    )
  return (
    <QueryResult query={query} rows={2}>
      {(answer) => <PasskeyList {...answer} totp_enabled={totp_enabled} />}
    </QueryResult>
  )
}

type ListProps = AnswerOf<typeof listPasskeys> & { totp_enabled: boolean }

function PasskeyList({ passkeys, second_factor, totp_enabled }: ListProps) {
  const [action, setAction] = useState<PasskeyAction>()
  const is_last = passkeys.length === 1
  return (
    <Stack gap="md">
      {passkeys.length > 0 && (
        <Rows label={t('common.passkeys')}>
          {passkeys.map((passkey) => (
            <Entry
              key={passkey.id}
              passkey={passkey}
              onRename={() => setAction({ kind: 'rename', passkey, is_last })}
              onRemove={() => setAction({ kind: 'remove', passkey, is_last })}
            />
          ))}
        </Rows>
      )}
      {has_passkeys ? (
        <Group>
          <Button
            variant={passkeys.length > 0 ? 'default' : 'filled'}
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setAction({ kind: 'add' })}
          >
            {t('common.add-a-passkey')}
          </Button>
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          {t('account.passkeys.this-browser-cannot-use-passkeys-open')}
        </Text>
      )}
      {passkeys.length > 0 && <PasskeySecondFactor enabled={second_factor} totp_enabled={totp_enabled} />}
      <PasskeyDialog
        opened={action !== undefined}
        action={action}
        second_factor={second_factor}
        onClose={() => setAction(undefined)}
      />
    </Stack>
  )
}

interface EntryProps {
  passkey: Passkey
  onRename: () => void
  onRemove: () => void
}

function Entry({ passkey, onRename, onRemove }: EntryProps) {
  const { name, discoverable, copy_suspected_at, inserted_at, last_used_at } = passkey
  return (
    <Row
      lead="key"
      top={copy_suspected_at !== null}
      action={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onRename} aria-label={t('account.passkeys.rename', { name })}>
            {t('account.passkeys.rename-2')}
          </Button>
          <Button size="xs" variant="default" onClick={onRemove} aria-label={t('common.remove', { name })}>
            {t('common.remove-2')}
          </Button>
        </Group>
      }
    >
      <Group gap="xs">
        <Text fw={550} className="user-content">
          {name}
        </Text>
        {discoverable === false && <Badge color="gray">{t('account.passkeys.only-after-the-password')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        <RichText
          k="account.passkeys.added"
          time={<RelativeTime at={inserted_at} />}
          last_used_at={
            last_used_at === null ? (
              t('account.passkeys.not-used-yet')
            ) : (
              <RichText k="account.passkeys.last-used" time={<RelativeTime at={last_used_at} />} />
            )
          }
        />
      </Text>
      {copy_suspected_at !== null && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />} mt="xs">
          <Text size="sm">
            <RichText k="account.passkeys.a-sign-in-with-it-was" time={<RelativeTime at={copy_suspected_at} />} />
          </Text>
        </Alert>
      )}
    </Row>
  )
}
