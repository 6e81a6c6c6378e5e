import { Button, Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { me, proveOwner } from '../../../contract/accounts.ts'
import { listPasskeys, passkeyProofOptions } from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { has_passkeys, loadWebAuthn } from '../../session/passkey-sign-in.tsx'
import { answerProof, useProofAsked } from '../../session/proof.ts'
import { t } from '../../texts.ts'
import { Modal } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'

/**
 * Asks for the proof that a call needs (D-107), which is then valid for some minutes (D-129); the call continues
 * afterwards. No other form asks for a proof.
 */
export default function ProveDialog() {
  const opened = useProofAsked()
  const profile = useApiQuery(me, {}, { enabled: opened })
  const passkeys = useApiQuery(listPasskeys, {}, { enabled: opened })
  return (
    <Modal opened={opened} onClose={() => answerProof(false)} title={t('account.prove-dialog.is-it-you')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('account.prove-dialog.this-needs-a-proof')}
      </Text>
      <QueryResult query={profile}>
        {({ user }) => (
          <QueryResult query={passkeys}>
            {({ passkeys: { length }, second_factor }) => (
              <ProofForm with_code={user.totp_enabled || second_factor} with_passkey={has_passkeys && length > 0} />
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Modal>
  )
}

/** Asks the browser for a passkey of the account (D-108). */
async function provePasskey() {
  const { askForPasskey } = await loadWebAuthn()
  const { options } = await callApi(passkeyProofOptions)
  return { passkey: await askForPasskey(options) }
}

function ProofForm({ with_code, with_passkey }: { with_code: boolean; with_passkey: boolean }) {
  const form = useContractForm(proveOwner, {
    ignore_unsaved: true,
    initial: { password: '', totp_code: '' },
    refusals: {
      invalid_credentials: ({ message }) => ({ password: message }),
      totp_required: () => ({ totp_code: t('account.prove-dialog.this-change-needs-a-code-from') }),
      invalid_code: () => ({ totp_code: t('common.this-code-is-wrong-or-was') }),
    },
    onDone: () => answerProof(true),
  })
  return (
    <Form form={form} action={t('common.go-on')} onCancel={() => answerProof(false)}>
      <PasswordInput
        {...form.field('password')}
        required={!with_passkey}
        label={t('account.prove-dialog.your-password')}
        description={with_passkey && t('account.prove-dialog.or-use-a-passkey-below')}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': t('common.show-the-password') }}
        data-autofocus
      />
      {with_code && (
        <TextInput
          {...form.field('totp_code')}
          required={!with_passkey}
          label={t('common.two-factor-code')}
          description={t('common.from-your-authenticator-app-or-a')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      {with_passkey && (
        <Group>
          <Button
            variant="default"
            disabled={form.busy}
            leftSection={<Icon name="key" size={17} />}
            onClick={() => form.sendWith(provePasskey)}
          >
            {t('common.use-a-passkey')}
          </Button>
        </Group>
      )}
    </Form>
  )
}
