import { Alert, Button, Text, TextInput } from '@mantine/core'
import { cancelEmailChange, changeEmail, confirmEmail, getEmailChange } from '../../../contract/account-upkeep.ts'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { submitsCode } from '../../forms/submit-code.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type User = AnswerOf<typeof me>['user']
const { undo_days } = decisions.account_changes
const { digits, lifetime_seconds } = decisions.mailed_codes

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
  const form = useContractForm(changeEmail, {
    ignore_unsaved: true,
    initial: { email: '' },
    invalidates: [getEmailChange],
  })
  return (
    <Form
      form={form}
      maw={460}
      action={t('account.address-change.mail-me-a-code')}
      intro={
        <Text size="sm">
          <RichText
            k="account.address-change.your-address-is-it-stays-until"
            strong={<strong className="user-content">{user.email}</strong>}
            verified={user.email_verified}
            undo_days={undo_days}
          />
        </Text>
      }
    >
      <TextInput
        {...form.field('email')}
        type="email"
        label={t('account.address-change.new-address')}
        autoComplete="email"
        spellCheck={false}
      />
    </Form>
  )
}

function EnterCode({ new_email, mailed }: { new_email: string; mailed: string }) {
  const form = useContractForm(confirmEmail, {
    ignore_unsaved: true,
    initial: { code: mailed },
    onDone: () => {
      notify(t('account.address-change.your-address-is-changed-and-verified'))
    },
    invalidates: [me, getEmailChange],
    refusals: { invalid_code: () => ({ code: t('account.address-change.this-code-is-wrong-or-too') }) },
  })
  const cancel = useApiMutation(cancelEmailChange, { invalidates: [getEmailChange] })
  return (
    <Form
      form={{ ...form, failure: form.failure ?? cancel.error }}
      maw={460}
      action={t('common.change-the-address')}
      intro={
        <Alert icon={<Icon name="mail" />} role="status">
          <RichText
            k="account.address-change.a-mail-is-on-its-way"
            strong={<strong className="user-content">{new_email}</strong>}
            digits={digits}
            lifetime_seconds={lifetime_seconds / 60}
          />
        </Alert>
      }
      buttons={
        <Button variant="default" onClick={() => cancel.mutate({})} loading={cancel.isPending}>
          {t('account.address-change.keep-the-old-address')}
        </Button>
      }
      note={
        <Text size="sm" c="dimmed">
          {t('account.address-change.no-mail-look-in-the-spam')}
        </Text>
      }
    >
      <TextInput
        {...submitsCode(form.field('code'))}
        label={t('common.code-from-the-mail')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={64}
      />
    </Form>
  )
}
