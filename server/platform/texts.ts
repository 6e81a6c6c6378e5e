import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import compile from 'icu-minify/compile'
import format from 'icu-minify/format'
import type { Texts } from '../../languages/texts.ts'
import { code_root } from './package.ts'

/** The key of a text of mails in languages/en.json. */
type MailTextKey = Extract<keyof Texts, `mail.${string}`>

/** The common part of the keys `<mail>.subject` and `<mail>.text`. */
export type MailName = MailTextKey extends infer Key ? (Key extends `${infer Name}.subject` ? Name : never) : never

type Values<Names extends PropertyKey> = Record<Names, string | number | boolean>
/** Further values are ignored, because several mails use the values of one. */
type AnyValues = Record<string, string | number | boolean>
type NamesIn<Key extends keyof Texts> = keyof Texts[Key]

const folder = join(code_root, 'languages')
const languages = new Set(
  readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? name.replace('.json', '') : [])),
)

/** Read for the first mail of a language: every process loads this module, but few send mails. */
const textsOf = kept(
  (language: string) =>
    JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Partial<Record<string, string>>,
)
const compiled = kept(compile)

function kept<Value>(make: (name: string) => Value) {
  const made = new Map<string, Value>()
  return (name: string) => {
    const value = made.get(name) ?? make(name)
    made.set(name, value)
    return value
  }
}

/** The first language of an `Accept-Language` header with available texts; undefined if there is none. */
export function acceptedLanguage(header: string | undefined): string | undefined {
  const wanted = (header ?? '').split(',').map((range) => {
    const [tag = '', quality = 'q=1'] = range
      .toLowerCase()
      .split(';', 2)
      .map((part) => part.trim())
    return { language: tag.split('-')[0] ?? '', weight: Number(quality.replace('q=', '')) || 0 }
  })
  const sorted = wanted.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight)
  return sorted.find(({ language }) => languages.has(language))?.language
}

function formatIn(language: string | null, key: string, values: AnyValues) {
  const own = language !== null && languages.has(language) ? textsOf(language)[key] : undefined
  const locale = own === undefined ? 'en' : language!
  const message = compiled(own ?? textsOf('en')[key] ?? key)
  const formatters = {
    getNumberFormat: (...options: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...options),
    getDateTimeFormat: (...options: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
      new Intl.DateTimeFormat(...options),
    getPluralRules: (...options: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...options),
  }
  return String(format(message, locale, values, { formatters }))
}

/** A text of mails in a person's language; in English if that is null or has no texts. */
export const textIn = <Key extends MailTextKey>(
  language: string | null,
  key: Key,
  values: Values<NamesIn<Key>> & AnyValues,
) => formatIn(language, key, values)

/** A text of the console, for server output about its pages. */
export const consoleText = (language: string | null, key: string, values: AnyValues) => formatIn(language, key, values)

/** The language of a mail to a person: theirs, or English if that is null or has no texts. */
export const languageOfMail = (language: string | null) =>
  language !== null && languages.has(language) ? language : 'en'

/** The values of a mail's subject and text, except those in `Given`. */
export type MailValues<Name extends MailName, Given = never> = Values<
  Exclude<NamesIn<`${Name}.subject` & keyof Texts> | NamesIn<`${Name}.text` & keyof Texts>, Given>
> &
  AnyValues

/** Subject and text of a mail in a person's language, and that language. */
export const mailIn = <Name extends MailName>(language: string | null, name: Name, values: MailValues<Name>) =>
  anyMailIn(language, name, values)

/** The same as `mailIn`, for callers that have checked the values. */
export const anyMailIn = (language: string | null, name: MailName, values: AnyValues) => ({
  lang: languageOfMail(language),
  subject: formatIn(language, `${name}.subject`, values),
  text: formatIn(language, `${name}.text`, values),
})

/** Collapses whitespace, for a subject or a line of a list. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ')
