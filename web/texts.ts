import format, { type CompiledMessage, type FormatValues } from 'icu-minify/format'
import { languages } from 'virtual:languages'
import { chooseLocale } from './locale.ts'
import { browser_storage } from './storage.ts'
import type { Texts } from '../languages/texts.ts'

/**
 * The key of a text in languages/en.json. Written out where it is used, so that each chunk contains only its own texts.
 */
export type TextKey = keyof Texts

/** The parameters of a text, by kind: a value, a number with a plural, one of several cases, or a tag around a part. */
interface Values {
  value: string | number
  number: number
  case: string | boolean
  tag: never
}

type ValuesOf<K extends TextKey> = { [Name in keyof Texts[K]]: Values[Texts[K][Name] & keyof Values] }

/** The key of a text without values, for lists and tables of texts. */
export type PlainTextKey = { [K in TextKey]: [keyof Texts[K]] extends [never] ? K : never }[TextKey]

const english: Record<string, CompiledMessage> = {}
let translated: Record<string, CompiledMessage> = {}
let translate = (text: string) => text

/** @public Called by the bundler's plugin in every module, with the English texts it names (texts-plugin.ts). */
export const defineTexts = (texts: Record<string, CompiledMessage>) => void Object.assign(english, texts)

const storage_key = 'plaza.language'
const wanted = [browser_storage.get(storage_key) ?? [], globalThis.navigator?.languages ?? []].flat()
const known = ['en', ...Object.keys(languages)]

/**
 * The language of the console: the person's choice, else the browser's first known language, else English; and the
 * browser's variant of it, for dates and numbers.
 */
export const { language, locale } = chooseLocale(wanted, known)

const named = (code: string) => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code

/** Every language of the console, by its own name. */
export const knownLanguages = () => known.map((code) => ({ code, name: named(code) }))

/** Changes the language of this browser. Reloads the page, because texts are read once. */
export function changeLanguage(code: string) {
  browser_storage.set(storage_key, code)
  location.reload()
}

/** Loads the texts of the language before the first render. English comes with the modules. */
export async function loadLanguage() {
  document.documentElement.lang = language
  const loaded = await languages[language]?.().catch(() => undefined)
  if (loaded) {
    translated = loaded.texts
    translate = loaded.translatorFor(locale)
  }
}

/**
 * A text of the contract, such as a field error or the message of a response, in the person's language and without
 * backticks.
 */
export const contractText = (text: string) => translate(text).replaceAll('`', '')

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Formatters are slow to make. */
function kept<Options, Formatter>(make: new (locale: string, options?: Options) => Formatter) {
  const made = new Map<string, Formatter>()
  return (_locale: unknown, options?: Options) => {
    const name = JSON.stringify(options ?? {})
    const formatter = made.get(name) ?? new make(locale, options)
    made.set(name, formatter)
    return formatter
  }
}

const formatters = {
  getNumberFormat: kept(Intl.NumberFormat),
  getDateTimeFormat: kept(Intl.DateTimeFormat),
  getPluralRules: kept(Intl.PluralRules),
}

/** A text with its values, in parts if it has tags. */
export function formatText<Element>(key: string, values: FormatValues<Element>) {
  const message = translated[key] ?? english[key]
  if (message === undefined) throw new Error(`No text ${key}`)
  return format<Element>(message, locale, values, { formatters })
}

/**
 * A text of the catalogue in the person's language. Not for the top level of a module: the language may not be loaded
 * then.
 */
export const t = <K extends TextKey>(key: K, ...[values]: [keyof Texts[K]] extends [never] ? [] : [ValuesOf<K>]) =>
  formatText(key, (values ?? {}) as FormatValues) as string
