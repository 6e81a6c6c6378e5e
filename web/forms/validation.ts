import type { TSchema } from 'typebox'
import { not_blank } from '../../contract/schema.ts'
import { ApiError } from '../api/errors.ts'

/** The words of JSON Schema that the contract uses. */
interface Bounds {
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Bounds
  properties?: Record<string, Bounds>
  required?: readonly string[]
}

const email_form = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^[^\s@]+@localhost$/

/** Is nothing entered? What is optional is then left out of the call. */
export const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** What is wrong with a field, in words for who typed it; for a list also with each of its items. */
export type FieldErrors = string | undefined | readonly (string | undefined)[]

/** What is wrong with a value by the contract's schema; undefined when it is good. */
function faultOf(bounds: Bounds, value: unknown, hint?: string): FieldErrors {
  if (typeof value === 'string') return textFault(bounds, value, hint)
  if (typeof value === 'number') return numberFault(bounds, value)
  if (Array.isArray(value)) return listFault(bounds, value, hint)
  return undefined
}

function textFault(bounds: Bounds, value: string, hint: string | undefined) {
  if (bounds.type === 'integer' || bounds.type === 'number') {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    return Number.isNaN(number) ? 'Enter a number.' : numberFault(bounds, number)
  }
  const { length } = [...value]
  const { minLength = 0, maxLength = Infinity } = bounds
  if (length < minLength) return minLength === 1 ? 'Fill this in.' : `At least ${minLength} characters.`
  if (length > maxLength) return `At most ${maxLength} characters; these are ${length}.`
  if (bounds.enum && !bounds.enum.includes(value)) return 'Choose one of the options.'
  if (bounds.format === 'email' && !email_form.test(value)) return 'Enter an e-mail address, such as you@example.com.'
  if (bounds.pattern === not_blank && value.trim() === '') return 'Fill this in.'
  if (bounds.pattern !== undefined && !new RegExp(bounds.pattern, 'u').test(value))
    return hint ?? 'This has characters or a length that are not allowed.'
  return undefined
}

function numberFault({ type, minimum = -Infinity, maximum = Infinity }: Bounds, value: number) {
  if (type === 'integer' && !Number.isSafeInteger(value)) return 'Enter a whole number.'
  if (value < minimum) return `At least ${minimum.toLocaleString('en')}.`
  if (value > maximum) return `At most ${maximum.toLocaleString('en')}.`
  return undefined
}

function listFault({ minItems = 0, maxItems = Infinity, items }: Bounds, value: unknown[], hint?: string) {
  if (value.length < minItems) return minItems === 1 ? 'Enter at least one.' : `Enter at least ${minItems}.`
  if (value.length > maxItems) return `At most ${maxItems}.`
  return items && value.map((item) => (isEmpty(item) ? 'Fill this in.' : firstMessage(faultOf(items, item, hint))))
}

/** The first thing that is wrong, for a field that says one. */
const firstMessage = (fault: FieldErrors) =>
  fault === undefined || typeof fault === 'string' ? fault : fault.find((one) => one !== undefined)

/** Faults by where they stand: at the field `name`, or at its items `name.0`, `name.1`, … if it shows them one by one. */
export function errorsByPath(name: string, fault: FieldErrors, by_item: boolean): Record<string, string> {
  const at = typeof fault === 'string' || !by_item ? [[name, firstMessage(fault)] as const] : itemsOf(name, fault)
  return Object.fromEntries(at.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const itemsOf = (name: string, faults: Exclude<FieldErrors, string>) =>
  faults?.map((fault, at) => [`${name}.${at}`, fault] as const) ?? []

/** The fields of a body schema, with their bounds. */
export const fieldsOf = (schema: TSchema | undefined) => (schema as Bounds | undefined)?.properties ?? {}

/** A check by name for every field of a body: required and within its bounds. `hints` word what a pattern means. */
export function validatorsOf(schema: TSchema | undefined, hints: Record<string, string | undefined> = {}) {
  const required = (schema as Bounds | undefined)?.required ?? []
  return Object.fromEntries(
    Object.entries(fieldsOf(schema)).map(([name, bounds]) => [
      name,
      (value: unknown): FieldErrors => {
        if (isEmpty(value)) return required.includes(name) ? 'Fill this in.' : undefined
        return faultOf(bounds, value, hints[name])
      },
    ]),
  )
}

/** The same in one sentence, also for a list. */
export const messageValidatorsOf = (schema: TSchema | undefined) =>
  Object.fromEntries(
    Object.entries(validatorsOf(schema)).map(([name, check]) => [name, (value: unknown) => firstMessage(check(value))]),
  )

/** The faults that the API found, by the field of the form that they belong to, or the item of one of its `lists`. */
export function serverErrors(error: unknown, names: readonly string[], lists: readonly string[]) {
  const faults: Record<string, string> = {}
  for (const { path, message } of error instanceof ApiError ? error.fields : []) {
    const [name = '', item] = path.split('.', 2)
    if (names.includes(name)) faults[lists.includes(name) && item ? `${name}.${item}` : name] ??= sentence(message)
  }
  return faults
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
