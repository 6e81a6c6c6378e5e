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

const { name_reserved_days } = decisions['D-107'].value
const { username_min, username_max } = decisions['D-12'].value

/** Changes the name that others see. */
export function NameChange({ user }: { user: AnswerOf<typeof me>['user'] }) {
  const { form, field, props, busy, failure } = useContractForm(changeUsername, {
    ignore_unsaved: true,
    initial: { username: '', ...no_proof },
    onDone: async () => {
      form.reset()
      notify('Your name is changed.')
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
          Your name is <strong className="user-content">{user.username}</strong>. After a change it stays reserved for
          you for {name_reserved_days} days. What you wrote before shows the new one.
        </Text>
        <FailureNote error={failure} />
        <TextInput
          {...field('username')}
          label="New name"
          description={`${username_min} to ${username_max} letters, digits, dots, hyphens or underscores.`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <ProofFields field={field} with_code={user.totp_enabled} />
        <Group>
          <Button type="submit" loading={busy}>
            Change the name
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
