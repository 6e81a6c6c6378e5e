import { Button, Group, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { me } from '../../../contract/accounts.ts'
import { listPointRequests, requestPoints, sendPoints } from '../../../contract/sending.ts'
import { callApi } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form, FormDialog } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { t } from '../../texts.ts'
import { Confirm, useConfirmation } from '../../ui/confirm.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { signed_out, undone, useUndoPeriod } from '../../ui/undo-period.ts'
import type { Person } from './friend-relations.ts'
import { forgetPayment, keepPayment, noteSent, notifyFailure } from './left-payment.ts'
import { PersonPicker } from './person-picker.tsx'
import { points_reads } from './points-reads.ts'

/** One idempotency key for the same content until it is sent: a repetition pays once. */
function useKeyOf() {
  const last = useRef<{ content: string; key: string }>(undefined)
  return {
    keyOf(body: object) {
      const content = JSON.stringify(body)
      if (last.current?.content !== content) last.current = { content, key: newIdempotencyKey() }
      return last.current.key
    },
    renew: () => void (last.current = undefined),
  }
}

/** Whether the form is on the page. Leaving the page sends immediately, and the response arrives later. */
function useIsShown() {
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => void (shown.current = false)
  }, [])
  return shown
}

const cancelled = new Error('cancelled')

const emptied = { amount: '' as number | string, description: '' }

/** The form that sends points: asks for confirmation, waits for an undo, then calls. */
function useSending(to: Person | undefined, onDone: () => void, amount: number | undefined) {
  const [person, setPerson] = useState(to)
  const { ask, question } = useConfirmation()
  const { delay, undo } = useUndoPeriod()
  const is_shown = useIsShown()
  const name = () => person?.username ?? ''
  const { keyOf, renew } = useKeyOf()
  const own = useApiQuery(me, {}).data?.user.points
  const form = useContractForm(sendPoints, {
    initial: { to_user_id: to?.id ?? '', ...emptied, ...(amount !== undefined && { amount }) },
    ignore_unsaved: 'by_leaving',
    // The call, five seconds later, would refuse it.
    validators: {
      amount: (points) => (Number(points) > (own ?? Infinity) ? t('people.send-form.more-than-you-have') : undefined),
    },
    toInput: (body) => ({ body, headers: { 'idempotency-key': keyOf(body) } }),
    call: async (endpoint, input) => {
      if (!(await ask())) throw cancelled
      return delay({
        call: () => callApi(endpoint, input).finally(() => forgetPayment(input)),
        onPageHide: () => keepPayment(name(), input),
      })
    },
    onError: (error) => {
      if (error === signed_out) notify(t('people.send-form.not-sent-signed-out'), { failed: true })
      else if (error === undone) notify(t('people.send-form.not-sent-undone'))
      else if (error !== cancelled && !is_shown.current) notifyFailure(error, name())
      return error === undone || error === cancelled || error === signed_out
    },
    onDone: ({ amount_transferred }) => {
      renew()
      form.form.reset()
      noteSent(amount_transferred, name())
      onDone()
    },
    invalidates: points_reads,
  })
  const values = { points: formatPoints(Number(form.form.values.amount)), name: name() }
  const fields = (
    <Fields
      field={form.field}
      note={t('common.note')}
      {...(own !== undefined && { about: t('people.send-form.you-have', { points: formatPoints(own) }) })}
    >
      {!to && (
        <PersonPicker
          {...form.field('to_user_id')}
          label={t('common.to')}
          friends_only={false}
          onPick={(picked) => {
            setPerson(picked)
            form.form.setFieldValue('to_user_id', picked?.id ?? '')
          }}
          data-autofocus
        />
      )}
    </Fields>
  )
  const dialog = (
    <Confirm
      {...question}
      title={t('people.send-form.send-to', values)}
      action={t('people.send-form.send-2', values)}
      color="plaza"
    >
      <RichText k="people.send-form.they-get-at-once" {...values} bdi={<bdi>{values.name}</bdi>} />
    </Confirm>
  )
  const note = undo && (
    <Group role="status" gap="sm">
      <Text size="sm">{t('people.send-form.sends-in-a-moment', values)}</Text>
      <Button variant="default" size="xs" onClick={undo}>
        {t('common.undo')}
      </Button>
    </Group>
  )
  return { form, fields, dialog, note, undo }
}

type FieldProps = (name: 'amount' | 'description') => object

interface FieldsProps {
  field: FieldProps
  /** Below the label of the amount. */
  about?: string
  note: string
  children?: ReactNode
}

const Fields = ({ field, about, note, children }: FieldsProps) => (
  <>
    {children}
    <NumberField
      {...field('amount')}
      label={t('common.points')}
      description={about}
      data-autofocus={!children || undefined}
    />
    <TextInput
      {...field('description')}
      label={note}
      description={t('people.send-form.optional-the-other-person-reads')}
    />
  </>
)

/** The form on the page of the recipient. */
export function SendForm({ to, amount }: { to: Person; amount: number | undefined }) {
  const { form, fields, dialog, note } = useSending(to, () => {}, amount)
  return (
    <>
      <Form form={form} action={t('common.send')} note={note}>
        {fields}
      </Form>
      {dialog}
    </>
  )
}

interface DialogProps {
  opened: boolean
  /** If undefined, the form asks for the person. */
  person?: Person
  onClose: () => void
}

function SendDialog({ person, onClose }: DialogProps) {
  const { form, fields, dialog, note, undo } = useSending(person, onClose, undefined)
  const close = () => {
    undo?.()
    onClose()
  }
  return (
    <>
      <FormDialog
        form={form}
        title={person ? titleWith('people.send-form.send-points-to', person) : t('people.send-form.send-points')}
        action={t('common.send')}
        note={note}
        onClose={close}
      >
        {fields}
      </FormDialog>
      {dialog}
    </>
  )
}

const titleWith = (k: 'people.send-form.send-points-to' | 'people.send-form.ask-for-points', { username }: Person) => (
  <RichText k={k} name={<bdi>{username}</bdi>} />
)

function AskDialog({ person, onClose }: DialogProps) {
  const [asked, setAsked] = useState(person)
  const form = useContractForm(requestPoints, {
    initial: { from_user_id: person?.id ?? '', ...emptied },
    ignore_unsaved: 'by_leaving',
    onDone: ({ amount }) => {
      notify(t('people.send-form.asked', { points: formatPoints(amount), name: asked?.username ?? '' }))
      onClose()
    },
    invalidates: [listPointRequests],
  })
  return (
    <FormDialog
      form={form}
      title={
        person ? titleWith('people.send-form.ask-for-points', person) : t('people.send-form.ask-a-friend-for-points')
      }
      action={t('people.send-form.ask')}
      onClose={onClose}
    >
      <Fields field={form.field} note={t('people.send-form.what-for')}>
        {!person && (
          <PersonPicker
            {...form.field('from_user_id')}
            label={t('people.send-form.friend')}
            friends_only
            onPick={(picked) => {
              setAsked(picked)
              form.form.setFieldValue('from_user_id', picked?.id ?? '')
            }}
            data-autofocus
          />
        )}
      </Fields>
    </FormDialog>
  )
}

/** The dialog that sends or requests points. */
export default function PointsDialog({ kind, ...props }: DialogProps & { kind: 'send' | 'ask' }) {
  return kind === 'send' ? <SendDialog {...props} /> : <AskDialog {...props} />
}
