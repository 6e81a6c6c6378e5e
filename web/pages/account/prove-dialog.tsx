import { Text } from '@mantine/core'
import { me, proveOwner } from '../../../contract/accounts.ts'
import { listPasskeys } from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { answerProof, useProofAsked } from '../../session/proof.ts'
import { Modal } from '../../ui/dialog.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { ProofForm, type Proof } from './proof-form.tsx'
import { t } from '../../texts.ts'

/** Asks for the proof that a call needs (D-129); the call goes on when it is given. */
export default function ProveDialog() {
  const opened = useProofAsked()
  const profile = useApiQuery(me, {}, { enabled: opened })
  const passkeys = useApiQuery(listPasskeys, {}, { enabled: opened })
  const send = async (proof: Proof) => {
    await callApi(proveOwner, { body: proof })
    answerProof(true)
  }
  return (
    <Modal opened={opened} onClose={() => answerProof(false)} title={t('account.prove-dialog.is-it-you')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('account.prove-dialog.this-needs-a-proof')}
      </Text>
      <QueryResult query={profile}>
        {({ user }) => (
          <QueryResult query={passkeys}>
            {({ passkeys: own, second_factor }) => (
              <ProofForm
                action={t('common.go-on')}
                needs_code={user.totp_enabled || second_factor}
                can_use_passkey={own.length > 0}
                send={send}
                onCancel={() => answerProof(false)}
              />
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Modal>
  )
}
