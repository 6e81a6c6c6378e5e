import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { cancelEmailChange, changeEmail, confirmEmail, getEmailChange } from '../../../contract/account-upkeep.ts'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { queryClient, queryKeyOf, useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { no_proof, ProofFields, showProofError } from './proof-fields.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type User = AnswerOf<typeof me>['user']
const { undo_days } = decisions.account_changes
const { digits, lifetime_seconds } = decisions.mailed_codes

async function readAgain(...endpoints: Parameters<typeof queryKeyOf>[0][]) {
  await Promise.all(endpoints.map((endpoint) => queryClient.invalidateQueries({ queryKey: queryKeyOf(endpoint) })))
}

/** Changes the address in two steps: the new one and a proof, then the code that was mailed to it. */
export function AddressChange({ user, mailed }: { user: User; mailed: string }) {
  const pending = useApiQuery(getEmailChange, {})
  return (
    <QueryResult query={pending}>
      {({ new_email }) =>
        new_email === null ? <AskForChange user={user} /> : <EnterCode new_email={new_email} mailed={mailed} />
      }
    </QueryResult>
  )
}

function AskForChange({ user }: { user: User }) {
  const { form, field, props, sendWith, busy, failure } = useContractForm(changeEmail, {
    ignore_unsaved: true,
    initial: { email: '', ...no_proof },
    onDone: () => readAgain(getEmailChange),
    onError: (error): boolean => showProofError(error, form),
  })
  return (
    <form {...props}>
      <Stack maw={460}>
        <Text size="sm">
          <RichText
            k="account.address-change.your-address-is-it-stays-until"
            strong={<strong className="user-content">{user.email}</strong>}
            verified={user.email_verified}
            undo_days={undo_days}
          />
        </Text>
        <FailureNote error={failure} />
        <TextInput
          {...field('email')}
          type="email"
          label={t('account.address-change.new-address')}
          autoComplete="email"
          spellCheck={false}
        />
        <ProofFields field={field} with_code={user.totp_enabled} busy={busy} sendWith={sendWith} />
        <Group>
          <Button type="submit" loading={busy}>
            {t('account.address-change.mail-me-a-code')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function EnterCode({ new_email, mailed }: { new_email: string; mailed: string }) {
  const { form, field, props, busy, failure } = useContractForm(confirmEmail, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: async () => {
      notify(t('account.address-change.your-address-is-changed-and-verified'))
      await readAgain(me, getEmailChange)
    },
    onError: (error) => {
      if (!isApiError(error, 'invalid_code')) return false
      form.setFieldError('code', t('account.address-change.this-code-is-wrong-or-too'))
      form.getInputNode('code')?.focus()
      return true
    },
  })
  const cancel = useApiMutation(cancelEmailChange, { invalidates: [getEmailChange] })
  return (
    <form {...props}>
      <Stack maw={460}>
        <Alert icon={<Icon name="mail" />} role="status">
          <RichText
            k="account.address-change.a-mail-is-on-its-way"
            strong={<strong className="user-content">{new_email}</strong>}
            digits={digits}
            lifetime_seconds={lifetime_seconds / 60}
          />
        </Alert>
        <FailureNote error={failure ?? cancel.error} />
        <TextInput
          {...field('code')}
          label={t('common.code-from-the-mail')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={64}
        />
        <Group gap="xs">
          <Button type="submit" loading={busy}>
            {t('common.change-the-address')}
          </Button>
          <Button variant="default" onClick={() => cancel.mutate({})} loading={cancel.isPending}>
            {t('account.address-change.keep-the-old-address')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t('account.address-change.no-mail-look-in-the-spam')}
        </Text>
      </Stack>
    </form>
  )
}
