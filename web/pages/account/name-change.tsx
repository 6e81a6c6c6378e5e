import { Text, TextInput } from '@mantine/core'
import { changeUsername } from '../../../contract/account-upkeep.ts'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { notify } from '../../ui/notify.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { name_reserved_days } = decisions.account_changes
const { username_min, username_max } = decisions.usernames

/** Changes the name that others see. */
export function NameChange({ user }: { user: AnswerOf<typeof me>['user'] }) {
  const form = useContractForm(changeUsername, {
    ignore_unsaved: true,
    initial: { username: '' },
    onDone: () => {
      form.form.reset()
      notify(t('account.name-change.your-name-is-changed'))
    },
    invalidates: [me],
    refusals: { username_taken: ({ message }) => ({ username: message }) },
  })
  return (
    <Form
      form={form}
      maw={460}
      action={t('account.name-change.change-the-name')}
      intro={
        <Text size="sm">
          <RichText
            k="account.name-change.your-name-is-after-a-change"
            strong={<strong className="user-content">{user.username}</strong>}
            name_reserved_days={name_reserved_days}
          />
        </Text>
      }
    >
      <TextInput
        {...form.field('username')}
        label={t('account.name-change.new-name')}
        description={t('account.name-change.to-letters-digits-dots-hyphens-or', { username_min, username_max })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}
