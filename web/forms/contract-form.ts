import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState, type FocusEvent, type SubmitEvent } from 'react'
import { callApi, type AnswerOf, type InputOf } from '../api/call.ts'
import type { BodyOf, Declaration, Wire } from '../../contract/endpoint.ts'
import { useUnsaved } from '../ui/unsaved.ts'
import { validatorsOf, serverErrors, fieldsOf, isEmpty, errorsByPath, type FieldErrors } from './validation.ts'
import { useErrorFocus } from './error-focus.ts'
import { listProps } from './list-field.ts'

/** The values of a form: every field that it shows, by the contract's name. */
export type Values<D extends Declaration> = Partial<Record<keyof Wire<BodyOf<D>> & string, unknown>>

export interface ContractFormOptions<D extends Declaration, V extends Values<D>> {
  initial: V
  /** What the form cannot know from the contract, by field: answers what is wrong, for a list by item, or nothing. */
  validators?: { [Name in keyof V]?: (value: V[Name], values: V) => FieldErrors }
  /** Lists that show each item as a field of its own: see `list`. */
  lists?: readonly (keyof V & string)[]
  /** Is the rest of the form good, which is no field of the body? It marks its own faults. */
  isRestValid?: () => boolean
  /** What a field's pattern means, in words. */
  pattern_messages?: { [Name in keyof V]?: string }
  /** Checks while typing, from the first letter; without it when a field is left. */
  validate_on_change?: boolean
  /**
   * For changing what exists: sends only what differs from what the form began with, emptied fields as null. What
   * somebody else changed meanwhile stays as they left it.
   */
  changes_only?: boolean
  /** Nobody is asked before leaving it: passwords and codes are soon typed again. */
  ignore_unsaved?: boolean
  /** Whatever else the call needs: `params`, `headers`, further fields of the body. */
  toInput?: (body: Wire<BodyOf<D>>) => InputOf<D>[0]
  onDone?: (answer: AnswerOf<D>, values: V) => void | Promise<void>
  /** A refusal that the page answers itself: true keeps it from being shown. */
  onError?: (error: Error) => boolean
  /** Makes the call, where it is not made as who is signed in. */
  call?: (endpoint: D, ...input: InputOf<D>) => Promise<AnswerOf<D>>
}

/**
 * A form over the body of an endpoint. The fields are checked by the contract's own schema, what is left empty is not
 * sent, and the faults that the API finds stand at their fields; the cursor moves to the first. `failure` is whatever else
 * went wrong: give it to `<FailureNote>`. `props` are the form's. `field` gives the props of an input, `list` those of a
 * list's items, `showErrors` says that fields are wrong.
 */
export function useContractForm<D extends Declaration, V extends Values<D>>(
  endpoint: D,
  options: ContractFormOptions<D, V>,
) {
  const { initial, validators = {}, pattern_messages = {}, lists = [], isRestValid = () => true } = options
  const { changes_only, ignore_unsaved, toInput, onDone, onError, call = callApi } = options
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const [failure, setFailure] = useState<Error>()
  const { ref, focusError } = useErrorFocus()
  const names = Object.keys(initial) as (keyof V & string)[]
  const form = useForm<Record<string, unknown>>({
    initialValues: initial,
    validate: (values) => allFaults([validatorsOf(endpoint.body, pattern_messages), validators as Checks], values, lists),
    validateInputOnBlur: !options.validate_on_change,
    validateInputOnChange: options.validate_on_change ?? false,
  }) as unknown as UseFormReturnType<V>

  /** The values that the service has taken: what still stands in the form is saved. */
  const [taken, setTaken] = useState<string>()
  const saved = useUnsaved(!ignore_unsaved && form.isDirty() && JSON.stringify(form.getValues()) !== taken)

  /** Says what is wrong, at each field, and puts the cursor into the first. */
  const showErrors = (faults: Record<string, string>) => {
    form.setErrors(faults)
    focusError(Object.keys(faults))
  }

  async function send(values: V) {
    if (!isRestValid()) return focusError()
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
      const input = toInput ? toInput(body) : ({ body } as unknown as InputOf<D>[0])
      const answer = await call(endpoint, ...([input] as InputOf<D>))
      saved()
      setTaken(JSON.stringify(values))
      await onDone?.(answer, values)
    } catch (error) {
      if (onError?.(error as Error)) return
      const faults = serverErrors(error, names, lists)
      showErrors(faults)
      if (Object.keys(faults).length === 0) setFailure(error as Error)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) =>
    form.onSubmit(send, (faults) => focusError(Object.keys(faults)))(event)
  const props = { ref, onSubmit, noValidate: true }
  return { form, props, field: fieldProps(endpoint, form), list: listProps(form), showErrors, busy, failure, setFailure }
}

type Checks = Record<string, ((value: unknown, values: object) => FieldErrors) | undefined>

/** What is wrong with each value, by the first of the checks that finds something. */
function allFaults(checks: readonly Checks[], values: Record<string, unknown>, lists: readonly string[]) {
  const faultsOf = (name: string) =>
    checks
      .map((by_name) => errorsByPath(name, by_name[name]?.(values[name], values), lists.includes(name)))
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
