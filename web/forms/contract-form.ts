import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState, type FocusEvent, type SubmitEvent } from 'react'
import { callApi, type AnswerOf, type InputOf } from '../api/call.ts'
import type { BodyOf, Declaration, Wire } from '../../contract/endpoint.ts'
import { useUnsaved } from '../ui/unsaved.ts'
import { checksOf, fieldFaults, fieldsOf, isEmpty } from './checks.ts'

/** The values of a form: every field that it shows, by the contract's name. */
export type Values<D extends Declaration> = Partial<Record<keyof Wire<BodyOf<D>> & string, unknown>>

export interface ContractFormOptions<D extends Declaration, V extends Values<D>> {
  initial: V
  /** What the form cannot know from the contract, by field: answers what is wrong, or nothing. */
  checks?: { [Name in keyof V]?: (value: V[Name], values: V) => string | undefined }
  /** What a field's pattern means, in words. */
  hints?: { [Name in keyof V]?: string }
  /** Checks while typing, from the first letter; without it when a field is left. */
  as_you_type?: boolean
  /**
   * For changing what exists: sends only what differs from what the form began with, emptied fields as null. What
   * somebody else changed meanwhile stays as they left it.
   */
  changes_only?: boolean
  /** Nobody is asked before leaving it: passwords and codes are soon typed again. */
  nothing_to_lose?: boolean
  /** Whatever else the call needs: `params`, `headers`, further fields of the body. */
  complete?: (body: Wire<BodyOf<D>>) => InputOf<D>[0]
  onDone?: (answer: AnswerOf<D>, values: V) => void | Promise<void>
  /** A refusal that the page answers itself: true keeps it from being shown. */
  onRefused?: (error: Error) => boolean
  /** Makes the call, where it is not made as who is signed in. */
  call?: (endpoint: D, ...input: InputOf<D>) => Promise<AnswerOf<D>>
}

/**
 * A form over the body of an endpoint. The fields are checked by the contract's own schema, what is left empty is not
 * sent, and the faults that the API finds stand at their fields. `failure` is whatever else went wrong: give it to
 * `<FailureNote>`. `submit` is the form's `onSubmit`.
 */
export function useContractForm<D extends Declaration, V extends Values<D>>(
  endpoint: D,
  options: ContractFormOptions<D, V>,
) {
  const { initial, checks = {}, hints = {}, changes_only, nothing_to_lose, complete, onDone, onRefused } = options
  const { call = callApi } = options
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const [failure, setFailure] = useState<Error>()
  const by_contract = checksOf(endpoint.body, hints)
  const names = Object.keys(initial) as (keyof V & string)[]
  const own = checks as Record<string, ((value: unknown, values: V) => string | undefined) | undefined>
  const form = useForm<Record<string, unknown>>({
    initialValues: initial,
    validate: Object.fromEntries(
      names.map((name) => [
        name,
        (value: unknown, values: Record<string, unknown>) =>
          by_contract[name]?.(value) ?? own[name]?.(value, values as V) ?? null,
      ]),
    ),
    validateInputOnBlur: !options.as_you_type,
    validateInputOnChange: options.as_you_type ?? false,
  }) as unknown as UseFormReturnType<V>

  /** The values that the service has taken: what still stands in the form is saved. */
  const [taken, setTaken] = useState<string>()
  const saved = useUnsaved(!nothing_to_lose && form.isDirty() && JSON.stringify(form.getValues()) !== taken)

  /** Puts the cursor where the first fault is. */
  const focusFirst = (faults: object) => form.getInputNode(Object.keys(faults)[0] ?? '')?.focus()

  async function send(values: V) {
    // A key can send a form whose button is already at work.
    if (sending.current) return
    sending.current = true
    setBusy(true)
    setFailure(undefined)
    try {
      const body = (
        changes_only
          ? bodyOf(endpoint, values, (name) => form.isDirty(name))
          : bodyOf(endpoint, values, (_name, value) => !isEmpty(value))
      ) as Wire<BodyOf<D>>
      const input = complete ? complete(body) : ({ body } as unknown as InputOf<D>[0])
      const answer = await call(endpoint, ...([input] as InputOf<D>))
      saved()
      setTaken(JSON.stringify(values))
      await onDone?.(answer, values)
    } catch (error) {
      if (onRefused?.(error as Error)) return
      const faults = fieldFaults(error, names)
      form.setErrors(faults)
      focusFirst(faults)
      if (Object.keys(faults).length === 0) setFailure(error as Error)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => form.onSubmit(send, focusFirst)(event)
  return { form, field: fieldProps(endpoint, form), submit, busy, failure, setFailure }
}

/** What was entered, as far as it is sent, as the endpoint's body: numbers as numbers, what is empty as null. */
function bodyOf(endpoint: Declaration, values: object, isSent: (name: string, value: unknown) => boolean) {
  const fields = fieldsOf(endpoint.body)
  const sent = Object.entries(values).filter(([name, value]) => name in fields && isSent(name, value))
  return Object.fromEntries(
    sent.map(([name, value]) => {
      if (isEmpty(value)) return [name, null]
      const { type } = fields[name] ?? {}
      return [name, typeof value === 'string' && (type === 'integer' || type === 'number') ? Number(value) : value]
    }),
  )
}

/** The props of an input: value, fault, name, whether it must be filled. */
const fieldProps =
  <V extends object>(endpoint: Declaration, form: UseFormReturnType<V>) =>
  (name: keyof V & string, type: 'input' | 'checkbox' = 'input') => {
    const props = form.getInputProps(name, { type })
    return {
      ...props,
      // Who only passes through a field has made no mistake, and what appears would move the link they press.
      onBlur: (event: FocusEvent) => {
        if (form.isDirty(name)) props.onBlur?.(event)
      },
      name,
      required: ((endpoint.body as { required?: string[] } | undefined)?.required ?? []).includes(name),
      withAsterisk: false,
    }
  }
