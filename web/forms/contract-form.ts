import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState, type FocusEvent, type SubmitEvent } from 'react'
import { callApi, type AnswerOf, type InputOf } from '../api/call.ts'
import type { BodyOf, Declaration, Wire } from '../../contract/endpoint.ts'
import { useUnsaved } from '../ui/unsaved.ts'
import { errorsBy, fieldErrors, fieldsOf, isEmpty, placed, type FieldErrors } from './checks.ts'
import { useErrorFocus } from './focus-fault.ts'
import { listProps } from './list-field.ts'

/** The values of a form: every field that it shows, by the contract's name. */
export type Values<D extends Declaration> = Partial<Record<keyof Wire<BodyOf<D>> & string, unknown>>

export interface ContractFormOptions<D extends Declaration, V extends Values<D>> {
  initial: V
  /** What the form cannot know from the contract, by field: answers what is wrong, for a list by item, or nothing. */
  checks?: { [Name in keyof V]?: (value: V[Name], values: V) => FieldErrors }
  /** Lists that show each item as a field of its own: see `list`. */
  lists?: readonly (keyof V & string)[]
  /** Is the rest of the form good, which is no field of the body? It marks its own faults. */
  isRestGood?: () => boolean
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
 * sent, and the faults that the API finds stand at their fields; the cursor moves to the first. `failure` is whatever else
 * went wrong: give it to `<FailureNote>`. `props` are the form's. `field` gives the props of an input, `list` those of a
 * list's items, `blame` says that fields are wrong.
 */
export function useContractForm<D extends Declaration, V extends Values<D>>(
  endpoint: D,
  options: ContractFormOptions<D, V>,
) {
  const { initial, checks = {}, hints = {}, lists = [], isRestGood = () => true } = options
  const { changes_only, nothing_to_lose, complete, onDone, onRefused, call = callApi } = options
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const [failure, setFailure] = useState<Error>()
  const { ref, focusFault } = useErrorFocus()
  const names = Object.keys(initial) as (keyof V & string)[]
  const form = useForm<Record<string, unknown>>({
    initialValues: initial,
    validate: (values) => allFaults([errorsBy(endpoint.body, hints), checks as Checks], values, lists),
    validateInputOnBlur: !options.as_you_type,
    validateInputOnChange: options.as_you_type ?? false,
  }) as unknown as UseFormReturnType<V>

  /** The values that the service has taken: what still stands in the form is saved. */
  const [taken, setTaken] = useState<string>()
  const saved = useUnsaved(!nothing_to_lose && form.isDirty() && JSON.stringify(form.getValues()) !== taken)

  /** Says what is wrong, at each field, and puts the cursor into the first. */
  const blame = (faults: Record<string, string>) => {
    form.setErrors(faults)
    focusFault(Object.keys(faults))
  }

  async function send(values: V) {
    if (!isRestGood()) return focusFault()
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
      const faults = fieldErrors(error, names, lists)
      blame(faults)
      if (Object.keys(faults).length === 0) setFailure(error as Error)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) =>
    form.onSubmit(send, (faults) => focusFault(Object.keys(faults)))(event)
  const props = { ref, onSubmit, noValidate: true }
  return { form, props, field: fieldProps(endpoint, form), list: listProps(form), blame, busy, failure, setFailure }
}

type Checks = Record<string, ((value: unknown, values: object) => FieldErrors) | undefined>

/** What is wrong with each value, by the first of the checks that finds something. */
function allFaults(checks: readonly Checks[], values: Record<string, unknown>, lists: readonly string[]) {
  const faultsOf = (name: string) =>
    checks
      .map((by_name) => placed(name, by_name[name]?.(values[name], values), lists.includes(name)))
      .find((faults) => Object.keys(faults).length > 0)
  return Object.assign({}, ...Object.keys(values).map(faultsOf)) as Record<string, string>
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
      // Not every input of the kit says it by itself.
      'aria-invalid': props.error ? true : undefined,
      // Who only passes through a field has made no mistake, and what appears would move the link or button they press.
      onBlur: (event: FocusEvent) => {
        if (form.isDirty(name) && !event.relatedTarget?.matches('a, button')) props.onBlur?.(event)
      },
      name,
      required: ((endpoint.body as { required?: string[] } | undefined)?.required ?? []).includes(name),
      withAsterisk: false,
    }
  }
