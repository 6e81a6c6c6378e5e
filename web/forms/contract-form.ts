import { useForm, type UseFormReturnType } from '@mantine/form'
import { useRef, useState, type FocusEvent, type ReactNode, type SubmitEvent } from 'react'
import { callApi, type AnswerOf, type InputOf } from '../api/call.ts'
import { isApiError, type ApiError } from '../api/errors.ts'
import { invalidate, type Caller } from '../api/hooks.ts'
import type { BodyOf, Declaration, Wire } from '../../contract/endpoint.ts'
import { notify } from '../ui/notify.tsx'
import { useUnsaved, type Ignored } from '../ui/unsaved.ts'
import {
  validatorsOf,
  serverErrors,
  fieldsOf,
  isEmpty,
  isNumeric,
  errorsByPath,
  type FieldErrors,
} from './validation.ts'
import { useErrorFocus } from './error-focus.ts'
import { listProps } from './list-field.ts'

/** The values of a form, one per field on the page, by the contract's name. */
export type Values<D extends Declaration> = Partial<Record<keyof Wire<BodyOf<D>> & string, unknown>>

export interface ContractFormOptions<D extends Declaration, V extends Values<D>> {
  initial: V
  /**
   * Checks beyond the contract's schema, by field: return a message (for a list one per item), or undefined if valid.
   */
  validators?: { [Name in keyof V]?: (value: V[Name], values: V) => FieldErrors }
  /** List fields whose items have one input each: see `list`. */
  lists?: readonly (keyof V & string)[]
  /** Whether the inputs outside the body are valid. They show their own errors. */
  isRestValid?: () => boolean
  /** The message of a value that does not match its field's pattern. */
  pattern_messages?: { [Name in keyof V]?: string }
  /** Validates on every change; by default on blur. */
  validate_on_change?: boolean
  /**
   * For updates: sends only the fields that differ from `initial`, empty ones as null. So a concurrent change of another
   * field is not overwritten.
   */
  changes_only?: boolean
  /** Leaving the page needs no confirmation, as for passwords and codes. */
  ignore_unsaved?: Ignored
  /** Adds the rest of the call's input to the body: `params`, `headers`, more fields. */
  toInput?: (body: Wire<BodyOf<D>>) => InputOf<D>[0]
  onDone?: (answer: AnswerOf<D>, values: V) => void | Promise<void>
  /** The notification after success. */
  done?: (answer: AnswerOf<D>, values: V) => ReactNode
  /** The endpoints whose queries are refetched after success. */
  invalidates?: readonly Declaration[]
  as?: Caller
  /** Handles an error; true suppresses it in the form. */
  onError?: (error: Error, values: V) => boolean
  /** The fields that API refusals are about, by error code, with the messages to show at them. */
  refusals?: Record<string, (error: ApiError) => { [Name in keyof V]?: string }>
  /** Makes the call, for example after a confirmation. */
  call?: (endpoint: D, ...input: InputOf<D>) => Promise<AnswerOf<D>>
}

/**
 * A form for the body of an endpoint. It validates fields by the contract's schema, does not send empty fields, and
 * shows the API's field errors at their fields; the first one gets the focus. `failure` is any other error. Pass the
 * result to `<Form>`: `props` are the form's, `field` returns the props of an input, `list` those of a list's items;
 * `showErrors` marks fields as invalid; `sendWith` sends further fields in the body, which are requested once the
 * fields are valid.
 */
export function useContractForm<D extends Declaration, V extends Values<D>>(
  endpoint: D,
  options: ContractFormOptions<D, V>,
) {
  const { initial, validators = {}, pattern_messages = {}, lists = [], isRestValid = () => true } = options
  const { changes_only, ignore_unsaved, toInput, onDone, done, invalidates = [], onError, as } = options
  const call = options.call ?? as?.call ?? callApi
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)
  const [failure, setFailure] = useState<Error>()
  const { ref, focusError } = useErrorFocus()
  const form = useForm<Record<string, unknown>>({
    initialValues: initial,
    validate: (values) =>
      validateAll([validatorsOf(endpoint.body, pattern_messages), validators as Validators], values, lists),
    validateInputOnBlur: !options.validate_on_change,
    validateInputOnChange: options.validate_on_change ?? false,
  }) as unknown as UseFormReturnType<V>

  const markSaved = useSaved(form, ignore_unsaved)
  const showErrors = (errors: Record<string, string>) => {
    form.setErrors(errors)
    focusError(Object.keys(errors))
  }

  async function send(values: V, more?: () => Promise<object>) {
    if (!isRestValid()) return focusError()
    // Enter submits a form even while its button is disabled.
    if (sending.current) return
    sending.current = true
    setBusy(true)
    setFailure(undefined)
    try {
      const isSent = (name: string, value: unknown) => (changes_only ? form.isDirty(name) : !isEmpty(value))
      const body = { ...bodyOf(endpoint, values, isSent), ...(await more?.()) } as Wire<BodyOf<D>>
      const input = toInput ? toInput(body) : ({ body } as unknown as InputOf<D>[0])
      const answer = await call(endpoint, ...([input] as InputOf<D>))
      markSaved(values)
      await onDone?.(answer, values)
      if (done) notify(done(answer, values))
      await invalidate(invalidates, as)
    } catch (error) {
      if (onError?.(error as Error, values)) return
      const refused = isApiError(error) ? options.refusals?.[error.code ?? '']?.(error) : undefined
      const errors = refused ?? serverErrors(error, Object.keys(initial), lists)
      showErrors(errors as Record<string, string>)
      if (Object.keys(errors).length === 0) setFailure(error as Error)
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  const submitting = (more?: () => Promise<object>) =>
    form.onSubmit(
      (values) => send(values, more),
      (errors) => focusError(Object.keys(errors)),
    )
  const sendWith = (more: () => Promise<object>) => submitting(more)()
  const props = { ref, onSubmit: (event: SubmitEvent<HTMLFormElement>) => submitting()(event), noValidate: true }
  const inputs = { field: fieldProps(endpoint, form), list: listProps(form) }
  return { form, props, ...inputs, sendWith, showErrors, busy, failure, setFailure }
}

/** Reports unsaved changes of the form; call the result with the saved values. */
function useSaved<V extends object>(form: UseFormReturnType<V>, ignored?: Ignored) {
  const [saved_values, setSavedValues] = useState<string>()
  const reportSaved = useUnsaved(form.isDirty() && JSON.stringify(form.getValues()) !== saved_values, ignored)
  return (values: V) => {
    reportSaved()
    setSavedValues(JSON.stringify(values))
  }
}

type Validators = Record<string, ((value: unknown, values: object) => FieldErrors) | undefined>

/** The errors of all values by path; for each field those of the first validators that find any. */
function validateAll(validators: readonly Validators[], values: Record<string, unknown>, lists: readonly string[]) {
  const errorsOf = (name: string) =>
    validators
      .map((by_name) => errorsByPath(name, by_name[name]?.(values[name], values), lists.includes(name)))
      .find((errors) => Object.keys(errors).length > 0)
  return Object.assign({}, ...Object.keys(values).map(errorsOf)) as Record<string, string>
}

/** The endpoint's body: the values to send, with numbers as numbers and empty values as null. */
function bodyOf(endpoint: Declaration, values: object, isSent: (name: string, value: unknown) => boolean) {
  const fields = fieldsOf(endpoint.body)
  const sent = Object.entries(values).filter(([name, value]) => name in fields && isSent(name, value))
  return Object.fromEntries(
    sent.map(([name, value]) => {
      if (isEmpty(value)) return [name, null]
      return [name, typeof value === 'string' && isNumeric(fields[name] ?? {}) ? Number(value) : value]
    }),
  )
}

/** The props of an input: value, error, name, whether it is required. */
const fieldProps =
  <V extends object>(endpoint: Declaration, form: UseFormReturnType<V>) =>
  (name: keyof V & string, type: 'input' | 'checkbox' = 'input') => {
    const props = form.getInputProps(name, { type })
    return {
      ...props,
      // Some Mantine inputs do not set it.
      'aria-invalid': props.error ? true : undefined,
      // An untouched field is not validated on blur, because a new error line would move the link or button being
      // clicked.
      onBlur: (event: FocusEvent) => {
        if (form.isDirty(name) && !event.relatedTarget?.matches('a, button')) props.onBlur?.(event)
      },
      name,
      required: ((endpoint.body as { required?: string[] } | undefined)?.required ?? []).includes(name),
      withAsterisk: false,
    }
  }
