import { decisions } from '../../contract/decisions.ts'

// Large and malformed parts of requests. bench/hostile.ts sends them to every operation.

/** Parts of a request by the name of the case. */
type Cases<Part> = Record<string, Part>

export interface Body {
  type: 'application/json' | 'application/x-www-form-urlencoded'
  text: string
}

/** The size of one header or the address, so that the request stays within Node's limit of 16 KiB. */
const head_bytes = 15_000
const filled = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))
const base64 = (text: string) => Buffer.from(text).toString('base64url')

/** Query strings; `names` are the endpoint's parameters. */
export const hostileQueries = (names: string[]): Cases<string> => ({
  'query of many names': Array.from({ length: 2_400 }, (_, at) => `a${at}`).join('&'),
  'query of one name again and again': filled('a=&', head_bytes),
  'query of brackets': filled('a[b]=1&', head_bytes),
  'query of escapes': `a=${filled('%F0%9F%98%80', head_bytes - 2)}`,
  'query of &': filled('&', head_bytes),
  ...Object.fromEntries(
    names.flatMap((name) =>
      texts(head_bytes - 40).map(([what, text]) => [
        `query ${name}: ${what}`,
        `${name}=${encodeURIComponent(text).slice(0, head_bytes - 40)}`,
      ]),
    ),
  ),
})

/** Headers, including invalid credentials. */
export const hostileHeaders: Cases<string> = {
  'a long bearer token': `authorization: Bearer ${filled('a', head_bytes)}`,
  'an access token of 15 kB': `authorization: Bearer plz_at_${filled('a', head_bytes - 7)}`,
  'a bearer token after many spaces': `authorization: Bearer${' '.repeat(head_bytes)}!`,
  'a bearer token of =': `authorization: Bearer a${filled('=', head_bytes)}!`,
  'a JWT of 15 kB': `authorization: Bearer ${base64('{"alg":"HS256","kid":"x"}')}.${filled('a', head_bytes - 80)}.x`,
  'a JWT whose header is nested': `authorization: Bearer ${base64('['.repeat(5_000) + ']'.repeat(5_000))}.e30.x`,
  'a JWT whose header has many names': `authorization: Bearer ${base64(`{${Array.from({ length: 1_100 }, (_, at) => `"${at}":0`).join()}}`).slice(0, head_bytes)}.e30.x`,
  'a JWT of dots': `authorization: Bearer ${filled('.', head_bytes)}`,
  'Basic credentials of 15 kB': `authorization: Basic ${filled('YTph', head_bytes)}`,
  'Basic credentials of escapes': `authorization: Basic ${Buffer.from(`a:${filled('%F0%9F%98%80', 10_000)}`).toString('base64')}`,
  'Basic credentials after many spaces': `authorization: Basic${' '.repeat(head_bytes)}!`,
  'many headers': Array.from({ length: 1_900 }, (_, at) => `${at.toString(36)}: 1`)
    .join('\r\n')
    .slice(0, head_bytes),
  'many forwarded addresses': `x-forwarded-for: ${filled('1.1.1.1,', head_bytes)}1.1.1.1`,
  'forwarded commas': `x-forwarded-for: ${filled(',', head_bytes)}`,
  'a forwarded address of digits': `x-forwarded-for: ${filled('1.', head_bytes)}`,
  'a forwarded address of colons': `x-forwarded-for: [${filled(':', head_bytes)}`,
  'accept-encoding of many': `accept-encoding: ${filled('a;q=0,', head_bytes)}`,
  'accept-encoding of spaces': `accept-encoding: a;${' '.repeat(head_bytes)}q=0`,
  'accept of many': `accept: ${filled('text/html,', head_bytes)}`,
  'a long etag': `if-none-match: ${filled('"a",', head_bytes)}`,
  'many cookies': `cookie: ${filled('a=b; ', head_bytes)}`,
  'a long content type': `content-type: application/json;${filled(' a=b;', head_bytes)}`,
  'a content type of plus signs': `content-type: application/${filled('a+', head_bytes)}json`,
}

/** Values of a path parameter. */
export const hostileWords: Cases<string> = {
  'a word of 512': filled('a', 512),
  'escapes in the path': filled('%F0%9F%98%80', 512),
  'a word of 15 kB': filled('a', head_bytes),
  slashes: filled('/', head_bytes),
}

/** Texts that vulnerable regular expressions take long to match. */
const texts = (bytes: number): [string, string][] => [
  ['letters', filled('a', bytes)],
  ['spaces', filled(' ', bytes)],
  ['a-', `a@${filled('a-', bytes - 4)}!`],
  ['a.', `a@${filled('a.', bytes - 4)}!`],
  ['dots before @', `${filled('a.', bytes - 4)}!`],
  ['digits', `${filled('1', bytes - 2)}!`],
  ['a date', `2026-01-01T00:00:00.${filled('0', bytes - 30)}!`],
  ['code points', filled('😀', bytes)],
]

const json = (text: string): Body => ({ type: 'application/json', text })
const form = (text: string): Body => ({ type: 'application/x-www-form-urlencoded', text })
const object = (bytes: number, pair: (at: number) => string) => {
  const pairs: string[] = []
  for (let size = 2, at = 0; size < bytes - 40; at++) size += (pairs[at] = pair(at)).length + 1
  return `{${pairs.join()}}`
}

/** Bodies of up to `bytes`; `names` are the endpoint's fields. */
export function hostileBodies(bytes: number, names: string[]): Cases<Body> {
  const half = Math.floor(bytes / 2) - 20
  const [name = 'a'] = names
  return {
    'JSON of many names': json(object(bytes, (at) => `"${at.toString(36)}":0`)),
    'JSON of one name': json(object(bytes, () => `"${name}":0`)),
    'JSON of many empty objects': json(`{"${name}":[${filled('{},', bytes - 60)}{}]}`),
    'JSON of many empty lists': json(`{"${name}":[${filled('[],', bytes - 60)}[]]}`),
    'JSON of many numbers': json(`{"${name}":[${filled('0,', bytes - 60)}0]}`),
    'JSON of a long number': json(`{"${name}":${filled('9', bytes - 60)}}`),
    'JSON nested as lists': json(`{"${name}":${'['.repeat(half - 20)}${']'.repeat(half - 20)}}`),
    'JSON nested as objects': json(
      `${'{"a":'.repeat(Math.floor(bytes / 6) - 10)}0${'}'.repeat(Math.floor(bytes / 6) - 10)}`,
    ),
    'JSON of many __proto__': json(`{"${name}":[${filled('{"__proto__":0},', bytes - 80)}0]}`),
    'JSON of many texts with an escape': json(`{"${name}":[${filled('"\\u0041",', bytes - 60)}""]}`),
    'JSON of one text of escapes': json(`{"${name}":"${filled('\\ud83d\\ude00', bytes - 60)}"}`),
    'JSON of one text of backslashes': json(`{"${name}":"${filled('\\\\', bytes - 60)}"}`),
    'JSON that breaks off': json(`{"${name}":[${filled('{"a":[', bytes - 60)}`),
    'JSON of spaces': json(`{"${name}"${' '.repeat(bytes - 60)}:0}`),
    'a form of many names': form(
      Array.from({ length: bytes / 5 }, (_, at) => at.toString(36))
        .join('&')
        .slice(0, bytes),
    ),
    'a form of &': form(filled('&', bytes)),
    'a form of escapes': form(`${name}=${filled('%F0%9F%98%80', bytes - 60)}`),
    'a form of broken escapes': form(`${name}=${filled('%ff', bytes - 60)}`),
    'JSON with every field a list of ones': json(inFields(names, list(Math.floor(values_most / names.length), '1'))),
    'JSON with every field a wide object': json(inFields(names, object(Math.floor(bytes / names.length) - 40, wide))),
    ...Object.fromEntries(
      names.flatMap((field) => [
        ...values(bytes - 60).map(([what, text]) => [`JSON ${field}: ${what}`, json(inFields([field], text))]),
        ...texts(bytes - 60).map(([what, text]) => [`JSON ${field}: ${what}`, json(JSON.stringify({ [field]: text }))]),
      ]),
    ),
  }
}

/** Just below the number of values that a body may contain. */
const values_most = decisions.request_bounds.values_max - 100
const wide = (at: number) => `"${at.toString(36)}":0`
const list = (length: number, item: string) => `[${Array(length).fill(item).join()}]`
const inFields = (names: string[], value: string) =>
  `{${names.map((name) => `${JSON.stringify(name)}:${value}`).join()}}`

/** Values other than texts, as many and as deep as a body may contain, and more. */
const values = (bytes: number): [string, string][] => [
  ['many ones', list(values_most, '1')],
  ['many empty texts', list(values_most, '""')],
  ['many empty objects', list(values_most, '{}')],
  ['many long texts', list(50, JSON.stringify('x'.repeat(Math.floor(bytes / 50) - 10)))],
  ['a wide object', object(Math.min(bytes, values_most * 6), wide)],
  [
    'an object of long texts',
    `{${Array.from({ length: 50 }, (_, at) => `"V${at}":${JSON.stringify('x'.repeat(Math.floor(bytes / 50) - 20))}`).join()}}`,
  ],
  ['ones up to the limit', list(Math.floor(bytes / 2), '1')],
  ['nested as deep as can be', `${'['.repeat(30)}${list(values_most - 40, '1')}${']'.repeat(30)}`],
]
