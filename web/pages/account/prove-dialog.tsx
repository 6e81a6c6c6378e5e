import { Text } from '@mantine/core'
import { me, proveOwner } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { answerProof, useProofAsked } from '../../session/proof.ts'
import { Modal } from '../../ui/dialog.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { no_proof, proof_refusals, ProofFields } from './proof-fields.tsx'
import { t } from '../../texts.ts'

/** Asks for the proof that a call needs (D-129); the call continues once the proof is given. */
export default function ProveDialog() {
  const opened = useProofAsked()
  const profile = useApiQuery(me, {}, { enabled: opened })
  return (
    <Modal opened={opened} onClose={() => answerProof(false)} title={t('account.prove-dialog.is-it-you')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('account.prove-dialog.this-needs-a-proof')}
      </Text>
      <QueryResult query={profile}>{({ user }) => <ProofForm with_code={user.totp_enabled} />}</QueryResult>
    </Modal>
  )
}

function ProofForm({ with_code }: { with_code: boolean }) {
  const form = useContractForm(proveOwner, {
    ignore_unsaved: true,
    initial: no_proof,
    refusals: proof_refusals,
    onDone: () => answerProof(true),
  })
  return (
    <Form form={form} action={t('common.go-on')} onCancel={() => answerProof(false)}>
      <ProofFields form={form} with_code={with_code} />
    </Form>
  )
}
