import type { TSchema } from 'typebox'
import { hasVisibleText } from '../../contract/read-texts.ts'
import { ApiError } from '../api/errors.ts'
import { capitalized, contractText, locale, t } from '../texts.ts'

/** The keywords of JSON Schema that the contract uses. */
interface Bounds {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  minLength?: number
  maxLength?: number
  pattern?: string
  'x-read-as'?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Bounds
  properties?: Record<string, Bounds>
  required?: readonly string[]
}

/** Whether a field is a number of one of these types. */
export const isNumeric = ({ type }: Bounds, types: readonly string[] = ['integer', 'number']) =>
  [type].flat().some((one) => one !== undefined && types.includes(one))

const email_form = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^[^\s@]+@localhost$/

/** Whether a field is empty; optional empty fields are not sent. */
export const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The error message of a field, or of a list one per item. */
export type FieldErrors = string | undefined | readonly (string | undefined)[]

/** The error of a value by the contract's schema; undefined if it is valid. */
function errorOf(bounds: Bounds, value: unknown, hint?: string): FieldErrors {
  if (typeof value === 'string') return textError(bounds, value, hint)
  if (typeof value === 'number') return numberError(bounds, value)
  if (Array.isArray(value)) return listError(bounds, value, hint)
  return undefined
}

function textError(bounds: Bounds, value: string, hint: string | undefined) {
  if (isNumeric(bounds)) {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    return Number.isNaN(number) ? t('forms.validation.enter-a-number') : numberError(bounds, number)
  }
  const { length } = [...value]
  const { minLength = 0, maxLength = Infinity } = bounds
  if (length < minLength)
    return minLength === 1 ? t('common.fill-this-in') : t('forms.validation.at-least-characters', { minLength })
  if (length > maxLength) return t('forms.validation.at-most-characters-these-are', { maxLength, length })
  if (bounds.enum && !bounds.enum.includes(value)) return t('forms.validation.choose-one-of-the-options')
  if (bounds.format === 'email' && !email_form.test(value)) return t('forms.validation.enter-an-e-mail-address-such')
  if (bounds['x-read-as'] !== undefined && !hasVisibleText(value)) return t('common.fill-this-in')
  if (bounds.pattern !== undefined && !new RegExp(bounds.pattern, 'u').test(value))
    return hint ?? t('forms.validation.this-has-characters-or-a-length')
  return undefined
}

function numberError(bounds: Bounds, value: number) {
  const { minimum = -Infinity, maximum = Infinity } = bounds
  if (isNumeric(bounds, ['integer']) && !isNumeric(bounds, ['number']) && !Number.isSafeInteger(value))
    return t('forms.validation.enter-a-whole-number')
  if (value < minimum) return t('forms.validation.at-least', { minimum: minimum.toLocaleString(locale) })
  if (value > maximum) return t('forms.validation.at-most', { maximum: maximum.toLocaleString(locale) })
  return undefined
}

function listError({ minItems = 0, maxItems = Infinity, items }: Bounds, value: unknown[], hint?: string) {
  if (value.length < minItems) return t('forms.validation.minitems', { minItems })
  if (value.length > maxItems) return t('forms.validation.at-most-2', { maxItems })
  return (
    items && value.map((item) => (isEmpty(item) ? t('common.fill-this-in') : firstMessage(errorOf(items, item, hint))))
  )
}

/** The first message, for a field that shows one. */
const firstMessage = (errors: FieldErrors) =>
  errors === undefined || typeof errors === 'string' ? errors : errors.find((one) => one !== undefined)

/** Errors by path: of the field `name`, or with `by_item` of its items `name.0`, `name.1`, … */
export function errorsByPath(name: string, errors: FieldErrors, by_item: boolean): Record<string, string> {
  const entries =
    typeof errors === 'string' || !by_item ? [[name, firstMessage(errors)] as const] : itemErrors(name, errors)
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const itemErrors = (name: string, errors: Exclude<FieldErrors, string>) =>
  errors?.map((error, at) => [`${name}.${at}`, error] as const) ?? []

/** The fields of a body schema, with their bounds. */
export const fieldsOf = (schema: TSchema | undefined) => (schema as Bounds | undefined)?.properties ?? {}

/**
 * A validator for every field of a body: whether it is required, and the keywords of its schema. `hints` are the
 * messages of patterns.
 */
export function validatorsOf(schema: TSchema | undefined, hints: Record<string, string | undefined> = {}) {
  const required = (schema as Bounds | undefined)?.required ?? []
  return Object.fromEntries(
    Object.entries(fieldsOf(schema)).map(([name, bounds]) => [
      name,
      (value: unknown): FieldErrors => {
        if (isEmpty(value)) return required.includes(name) ? t('common.fill-this-in') : undefined
        return errorOf(bounds, value, hints[name])
      },
    ]),
  )
}

/** The same with one message per field, also for a list. */
export const messageValidatorsOf = (schema: TSchema | undefined) =>
  Object.fromEntries(
    Object.entries(validatorsOf(schema)).map(([name, check]) => [name, (value: unknown) => firstMessage(check(value))]),
  )

/** The field errors of an API error, by the form's field, or by the item of one of its `lists`. */
export function serverErrors(error: unknown, names: readonly string[], lists: readonly string[]) {
  const errors: Record<string, string> = {}
  for (const { path, message } of error instanceof ApiError ? error.fields : []) {
    const [name = '', item] = path.split('.', 2)
    if (names.includes(name)) errors[lists.includes(name) && item ? `${name}.${item}` : name] ??= sentence(message)
  }
  return errors
}

/** A field error of the API in the wording of the form's own checks. */
function sentence(text: string) {
  if (text === contractText('is required')) return t('common.fill-this-in')
  return capitalized(text) + (/[.!?]$/.test(text) ? '' : '.')
}
