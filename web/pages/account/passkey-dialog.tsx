import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import {
  deletePasskey,
  listPasskeys,
  passkeyRegistrationOptions,
  registerPasskey,
  renamePasskey,
} from '../../../contract/passkeys.ts'
import { callApi } from '../../api/call.ts'
import { queryClient, queryKeyOf } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { loadWebAuthn } from '../../session/passkey-sign-in.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import type { Passkey, PasskeyAction } from './passkey-action.ts'
import { ProofForm, type Proof } from './proof-form.tsx'
import { deviceName } from './user-agent.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { name_max } = decisions.passkeys

interface PasskeyDialogProps {
  opened: boolean
  action: PasskeyAction | undefined
  needs_code: boolean
  second_factor: boolean
  has_any: boolean
  onClose: () => void
}

const titles = () => ({
  add: t('common.add-a-passkey'),
  rename: t('account.passkey-dialog.rename-the-passkey'),
  remove: t('account.passkey-dialog.remove-the-passkey'),
})

const refresh = () => queryClient.invalidateQueries({ queryKey: queryKeyOf(listPasskeys) })

/** Adds, renames or removes a passkey. */
export default function PasskeyDialog({ opened, action, onClose, ...account }: PasskeyDialogProps) {
  // Stays what it was while the dialog closes.
  const [shown, setShown] = useState(action)
  if (action && action !== shown) setShown(action)
  return (
    <Modal opened={opened} onClose={onClose} title={shown && titles()[shown.kind]}>
      {shown?.kind === 'add' && <AddForm {...account} onClose={onClose} />}
      {shown?.kind === 'rename' && <RenameForm passkey={shown.passkey} onClose={onClose} />}
      {shown?.kind === 'remove' && <RemoveForm {...account} {...shown} onClose={onClose} />}
    </Modal>
  )
}

type FormProps = Pick<PasskeyDialogProps, 'needs_code' | 'second_factor' | 'has_any' | 'onClose'>

/** Asks for a name and a proof, then has the browser make the passkey. */
function AddForm({ needs_code, has_any, onClose }: FormProps) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const [error, setError] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const isNameValid = () => {
    const problem =
      name.trim() === ''
        ? t('common.give-it-a-name')
        : [...name].length > name_max
          ? t('account.passkey-dialog.at-most-characters', { name_max })
          : undefined
    setError(problem)
    if (problem !== undefined) input.current?.focus()
    return problem === undefined
  }
  async function add(proof: Proof) {
    const { options } = await callApi(passkeyRegistrationOptions, { body: proof })
    const { makePasskey } = await loadWebAuthn()
    const response = await makePasskey(options)
    await callApi(registerPasskey, { body: { name: name.trim(), response } })
    onClose()
    notify(t('account.passkey-dialog.the-passkey-is-added-next-time'))
    await refresh()
  }
  return (
    <ProofForm
      action={t('common.go-on')}
      needs_code={needs_code}
      can_use_passkey={has_any}
      send={add}
      onCancel={onClose}
      isRestValid={isNameValid}
    >
      <Text size="sm">{t('account.passkey-dialog.your-browser-asks-next-where-to')}</Text>
      <TextInput
        ref={input}
        label={t('common.name')}
        description={t('account.passkey-dialog.to-tell-it-from-your-other')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={error}
        data-autofocus
      />
    </ProofForm>
  )
}

function RenameForm({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { field, props, busy, failure } = useContractForm(renamePasskey, {
    ignore_unsaved: true,
    initial: { name: passkey.name },
    toInput: (body) => ({ params: { id: passkey.id }, body }),
    onDone: async () => {
      onClose()
      await refresh()
    },
  })
  return (
    <form {...props}>
      <Stack>
        <FailureNote error={failure} />
        <TextInput {...field('name')} label={t('common.name')} data-autofocus />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface RemoveProps extends FormProps {
  passkey: Passkey
  is_last: boolean
}

function RemoveForm({ passkey, is_last, needs_code, second_factor, onClose }: RemoveProps) {
  async function remove(proof: Proof) {
    await callApi(deletePasskey, { params: { id: passkey.id }, body: proof })
    onClose()
    notify(t('account.passkey-dialog.the-passkey-is-removed'))
    await refresh()
  }
  return (
    <ProofForm
      action={t('account.passkey-dialog.remove-it')}
      color="red"
      needs_code={needs_code}
      can_use_passkey
      send={remove}
      onCancel={onClose}
    >
      <Text size="sm">
        <RichText k="account.passkey-dialog.no-longer-signs-in-remove-it" bdi={<bdi>{passkey.name}</bdi>} />
      </Text>
      {is_last && second_factor && (
        <Text size="sm" fw={550}>
          {t('account.passkey-dialog.it-is-your-last-passkey-your')}
        </Text>
      )}
    </ProofForm>
  )
}
