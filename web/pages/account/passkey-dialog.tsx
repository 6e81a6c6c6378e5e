import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  deletePasskey,
  listPasskeys,
  passkeyRegistrationOptions,
  registerPasskey,
  renamePasskey,
} from '../../../contract/passkeys.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { loadWebAuthn } from '../../session/passkey-sign-in.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { notify } from '../../ui/notify.tsx'
import { deviceName } from '../../ui/device-name.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export type Passkey = AnswerOf<typeof listPasskeys>['passkeys'][number]

/** The purpose of the dialog. */
export type PasskeyAction = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey; is_last: boolean }

interface PasskeyDialogProps {
  opened: boolean
  action: PasskeyAction | undefined
  second_factor: boolean
  onClose: () => void
}

const titles = () => ({
  add: t('common.add-a-passkey'),
  rename: t('account.passkey-dialog.rename-the-passkey'),
  remove: t('account.passkey-dialog.remove-the-passkey'),
})

/** Adds, renames or removes a passkey. */
export default function PasskeyDialog({ opened, action, onClose, ...account }: PasskeyDialogProps) {
  // The content stays while the dialog closes.
  const [shown, setShown] = useState(action)
  if (action && action !== shown) setShown(action)
  return (
    <Modal opened={opened} onClose={onClose} title={shown && titles()[shown.kind]}>
      {shown?.kind === 'add' && <AddForm onClose={onClose} />}
      {shown?.kind === 'rename' && <RenameForm passkey={shown.passkey} onClose={onClose} />}
      {shown?.kind === 'remove' && <RemoveForm {...account} {...shown} onClose={onClose} />}
    </Modal>
  )
}

type FormProps = Pick<PasskeyDialogProps, 'second_factor' | 'onClose'>

/** Asks for a name, then lets the browser create the passkey. */
function AddForm({ onClose }: Pick<FormProps, 'onClose'>) {
  const form = useContractForm(registerPasskey, {
    ignore_unsaved: true,
    initial: { name: deviceName(navigator.userAgent) },
    call: async (endpoint, { body }) => {
      const { options } = await callApi(passkeyRegistrationOptions, { body: {} })
      const { makePasskey } = await loadWebAuthn()
      return callApi(endpoint, { body: { name: body.name.trim(), response: await makePasskey(options) } })
    },
    onDone: () => {
      onClose()
      notify(t('account.passkey-dialog.the-passkey-is-added-next-time'))
    },
    invalidates: [listPasskeys],
  })
  return (
    <Form
      form={form}
      action={t('common.go-on')}
      onCancel={onClose}
      intro={<Text size="sm">{t('account.passkey-dialog.your-browser-asks-next-where-to')}</Text>}
    >
      <TextInput
        {...form.field('name')}
        label={t('common.name')}
        description={t('account.passkey-dialog.to-tell-it-from-your-other')}
        data-autofocus
      />
    </Form>
  )
}

function RenameForm({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useContractForm(renamePasskey, {
    ignore_unsaved: true,
    initial: { name: passkey.name },
    toInput: (body) => ({ params: { id: passkey.id }, body }),
    onDone: onClose,
    invalidates: [listPasskeys],
  })
  return (
    <Form form={form} action={t('common.save')} onCancel={onClose}>
      <TextInput {...form.field('name')} label={t('common.name')} data-autofocus />
    </Form>
  )
}

interface RemoveProps extends FormProps {
  passkey: Passkey
  is_last: boolean
}

function RemoveForm({ passkey, is_last, second_factor, onClose }: RemoveProps) {
  const form = useContractForm(deletePasskey, {
    initial: {},
    toInput: (body) => ({ params: { id: passkey.id }, body }),
    onDone: () => {
      onClose()
      notify(t('account.passkey-dialog.the-passkey-is-removed'))
    },
    invalidates: [listPasskeys],
  })
  return (
    <Form form={form} action={t('account.passkey-dialog.remove-it')} button={{ color: 'red' }} onCancel={onClose}>
      <Text size="sm">
        <RichText k="account.passkey-dialog.no-longer-signs-in-remove-it" bdi={<bdi>{passkey.name}</bdi>} />
      </Text>
      {is_last && second_factor && (
        <Text size="sm" fw={550}>
          {t('account.passkey-dialog.it-is-your-last-passkey-your')}
        </Text>
      )}
    </Form>
  )
}
