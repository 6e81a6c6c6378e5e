import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useRef, useState, type SyntheticEvent } from 'react'
import { getExternalUser, getSessionStatus } from '../../../../contract/external.ts'
import { getAnalytics, getOperatorApp } from '../../../../contract/operators.ts'
import { getAppBalance, getPoints, pointsHistory, spendPoints, transferPoints } from '../../../../contract/points.ts'
import type { Declaration } from '../../../../contract/endpoint.ts'
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { messageValidatorsOf, fieldsOf, isEmpty } from '../../../forms/validation.ts'
import { useErrorFocus } from '../../../forms/error-focus.ts'
import { Confirm, useConfirmation } from '../../../ui/confirm.tsx'
import { formatPoints } from '../../../ui/format.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import type { CallInput } from './exchange.ts'
import { Select } from '../../../ui/select.tsx'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const calls: readonly Declaration[] = [
  getExternalUser,
  getPoints,
  spendPoints,
  transferPoints,
  pointsHistory,
  getSessionStatus,
  getAppBalance,
  getAnalytics,
  getOperatorApp,
]

/** These spend the points of the user of the playground. */
const moves_points: readonly Declaration[] = [spendPoints, transferPoints]

const scopeOf = ({ auth }: Declaration) => (typeof auth === 'object' ? auth.scope : '')
const nameOf = ({ method, path }: Declaration) => `${method} ${path}`

interface CallFormProps {
  app: MyApp | undefined
  granted: readonly string[]
  busy: boolean
  /** Resolves to whether the call succeeded. */
  onSend: (endpoint: Declaration, input: CallInput) => Promise<boolean>
}

/** Sends one of the external calls, with the fields of the contract. */
export function CallForm({ app, granted, busy, onSend }: CallFormProps) {
  const [chosen, setChosen] = useState(nameOf(getExternalUser))
  const endpoint = calls.find((call) => nameOf(call) === chosen) ?? getExternalUser
  return (
    <Stack gap="sm">
      <Select
        label={t('build.call-form.call')}
        allowDeselect={false}
        value={chosen}
        onChange={(value) => value !== null && setChosen(value)}
        data={calls
          .filter((call) => !app || may(app, call))
          .map((call) => ({ value: nameOf(call), label: `${nameOf(call)} · ${scopeOf(call)}` }))}
        description={
          granted.includes(scopeOf(endpoint))
            ? endpoint.summary
            : t('build.call-form.the-token-lacks-see-what-an', {
                summary: endpoint.summary,
                endpoint: scopeOf(endpoint),
              })
        }
      />
      <Fields key={chosen} endpoint={endpoint} busy={busy} onSend={onSend} />
    </Stack>
  )
}

function Fields({ endpoint, busy, onSend }: { endpoint: Declaration } & Omit<CallFormProps, 'app' | 'granted'>) {
  const schema = endpoint.body ?? endpoint.query
  const [values, setValues] = useState<Record<string, string>>({})
  const [checked, setChecked] = useState(false)
  const { ref, focusError } = useErrorFocus()
  const amount = formatPoints(Number(values.amount ?? 0))
  const fields = fieldsOf(schema)
  const checks = messageValidatorsOf(schema)
  const errors = Object.fromEntries(Object.keys(fields).map((name) => [name, checks[name]?.(values[name] ?? '')]))
  const { ask, question } = useConfirmation()
  /** The idempotency key of a call without a successful response: the same call again moves points once. */
  const unconfirmed = useRef<{ key: string; content: string }>(undefined)
  async function sendOnce(content: Record<string, unknown>) {
    const text = JSON.stringify(content)
    const key = unconfirmed.current?.content === text ? unconfirmed.current.key : newIdempotencyKey()
    unconfirmed.current = { key, content: text }
    const done = await onSend(endpoint, {
      title: endpoint.summary,
      ...(endpoint.body ? { body: content } : { query: content }),
      ...(endpoint.headers && { headers: { 'Idempotency-Key': key } }),
    })
    if (done) unconfirmed.current = undefined
  }
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    setChecked(true)
    if (Object.values(errors).some((fault) => fault !== undefined)) return focusError()
    if (moves_points.includes(endpoint) && !(await ask())) return
    const entered = Object.entries(values)
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => [name, fields[name]?.type === 'integer' ? Number(value) : value])
    const content = Object.fromEntries(entered) as Record<string, unknown>
    void sendOnce(content)
  }
  return (
    <form ref={ref} onSubmit={(event) => void submit(event)} noValidate>
      <SimpleGrid cols={{ base: 1, sm: 3 }} mb={Object.keys(fields).length > 0 ? 'sm' : 0}>
        {Object.keys(fields).map((name) => (
          <TextInput
            key={name}
            label={name}
            value={values[name] ?? ''}
            error={checked || values[name] ? errors[name] : undefined}
            onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
            spellCheck={false}
          />
        ))}
      </SimpleGrid>
      <Group justify="flex-end">
        <Button type="submit" loading={busy}>
          {t('build.call-form.send-the-call')}
        </Button>
      </Group>
      <Confirm
        {...question}
        title={t('build.call-form.spend-of-your-own', { amount })}
        action={t('build.call-form.spend', { amount })}
      >
        <RichText k="build.call-form.the-call-takes-from-your-own" strong={<strong>{amount}</strong>} />
      </Confirm>
    </form>
  )
}
