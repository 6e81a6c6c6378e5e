import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { changeUsername } from '../../../contract/account-upkeep.ts'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { queryClient, queryKeyOf } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { no_proof, ProofFields, showProofError } from './proof-fields.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { name_reserved_days } = decisions.account_changes
const { username_min, username_max } = decisions.usernames

/** Changes the name that others see. */
export function NameChange({ user }: { user: AnswerOf<typeof me>['user'] }) {
  const { form, field, props, sendWith, busy, failure } = useContractForm(changeUsername, {
    ignore_unsaved: true,
    initial: { username: '', ...no_proof },
    onDone: async () => {
      form.reset()
      notify(t('account.name-change.your-name-is-changed'))
      await queryClient.invalidateQueries({ queryKey: queryKeyOf(me) })
    },
    onError: (error) => {
      if (showProofError(error, form)) return true
      if (!isApiError(error, 'username_taken')) return false
      form.setFieldError('username', error.message)
      form.getInputNode('username')?.focus()
      return true
    },
  })
  return (
    <form {...props}>
      <Stack maw={460}>
        <Text size="sm">
          <RichText
            k="account.name-change.your-name-is-after-a-change"
            strong={<strong className="user-content">{user.username}</strong>}
            name_reserved_days={name_reserved_days}
          />
        </Text>
        <FailureNote error={failure} />
        <TextInput
          {...field('username')}
          label={t('account.name-change.new-name')}
          description={t('account.name-change.to-letters-digits-dots-hyphens-or', { username_min, username_max })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <ProofFields field={field} with_code={user.totp_enabled} busy={busy} sendWith={sendWith} />
        <Group>
          <Button type="submit" loading={busy}>
            {t('account.name-change.change-the-name')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
