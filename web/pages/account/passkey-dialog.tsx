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

const { name_max } = decisions['D-108'].value

interface PasskeyDialogProps {
  opened: boolean
  action: PasskeyAction | undefined
  needs_code: boolean
  second_factor: boolean
  has_any: boolean
  onClose: () => void
}

const titles = { add: 'Add a passkey', rename: 'Rename the passkey', remove: 'Remove the passkey' }

const refresh = () => queryClient.invalidateQueries({ queryKey: queryKeyOf(listPasskeys) })

/** Adds, renames or removes a passkey. */
export default function PasskeyDialog({ opened, action, onClose, ...account }: PasskeyDialogProps) {
  // Stays what it was while the dialog closes.
  const [shown, setShown] = useState(action)
  if (action && action !== shown) setShown(action)
  return (
    <Modal opened={opened} onClose={onClose} title={shown && titles[shown.kind]}>
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
        ? 'Give it a name.'
        : [...name].length > name_max
          ? `At most ${name_max} characters.`
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
    notify('The passkey is added. Next time you can sign in with it.')
    await refresh()
  }
  return (
    <ProofForm
      action="Go on"
      needs_code={needs_code}
      can_use_passkey={has_any}
      send={add}
      onCancel={onClose}
      isRestValid={isNameValid}
    >
      <Text size="sm">
        Your browser asks next where to keep the passkey: on this device, a phone or a security key.
      </Text>
      <TextInput
        ref={input}
        label="Name"
        description="To tell it from your other passkeys."
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
        <TextInput {...field('name')} label="Name" data-autofocus />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Save
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
    notify('The passkey is removed.')
    await refresh()
  }
  return (
    <ProofForm action="Remove it" color="red" needs_code={needs_code} can_use_passkey send={remove} onCancel={onClose}>
      <Text size="sm">
        <bdi>{passkey.name}</bdi> no longer signs in. Remove it from your device or password manager too, so that it is
        not offered any more.
      </Text>
      {is_last && second_factor && (
        <Text size="sm" fw={550}>
          It is your last passkey: your password alone is then enough to sign in, unless you have an authenticator app.
        </Text>
      )}
    </ProofForm>
  )
}
