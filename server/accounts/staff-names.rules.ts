import { decisions } from '../../contract/decisions.ts'

/** Whether a name imitates the platform or its staff (D-118). */
export type StaffNames = (name: string) => boolean

const { titles, words, roles, fillers, platform } = decisions.staff_names

/** For each letter: characters that resemble it without normalizing to it, and digits and signs used in its place. */
const resembling = {
  a: 'аαɑ4@',
  b: 'вβь8',
  c: 'сϲ',
  d: 'ԁđ',
  e: 'еεє3€',
  g: 'ɡɢ69',
  h: 'нһ',
  i: 'іιı',
  j: 'ј',
  k: 'кκ',
  l: 'ӏł1!|',
  m: 'мμ',
  n: 'ηпո',
  o: 'оοօøσ0',
  p: 'рρ',
  q: 'ԛ',
  r: 'г',
  s: 'ѕꜱ5$',
  t: 'тτ7',
  u: 'սυ',
  v: 'νѵ',
  w: 'ѡԝω',
  x: 'хχ',
  y: 'уγ',
  z: 'ζ2',
}
const look_alikes = new Map(
  Object.entries(resembling).flatMap(([letter, chars]) => [...chars].map((char) => [char, letter] as const)),
)

/** A name without case, marks and invisible characters; digits stay. */
const plain = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()

/** Maps a word to distinguishable letters: `i` and `l` become one letter, as do `rn` and `m`. */
const folded = (word: string) =>
  [...word]
    .map((char) => look_alikes.get(char) ?? char)
    .join('')
    .replaceAll('i', 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** The words of a name, with digits read as letters, and again without leading and trailing digits. */
function readings(name: string): string[][] {
  const parts = plain(name)
    .split(/[^\p{L}\p{N}@$!|€]+/u)
    .filter((part) => part !== '')
  const cuts = [/(?!)/, /^\d+/, /\d+$/, /^\d+|\d+$/g]
  return cuts.map((cut) => parts.map((part) => folded(part.replace(cut, ''))).filter((part) => part !== ''))
}

const anyOf = (of: readonly string[]) => `(?:${of.map(folded).join('|')})`
const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Builds the check; `added` are the words of `RESERVED_USERNAMES`, treated as names of the platform. */
export function staffNames(added: readonly string[]): StaffNames {
  const names = [...platform, ...added.flatMap((word) => plain(word).replace(/[^\p{L}\p{N}]+/gu, '') || [])].map(
    escaped,
  )
  const [platform_name, title, filler] = [names, titles, fillers].map(anyOf) as [string, string, string]
  const duty = anyOf([...titles, ...words, ...roles])
  const any = anyOf([...names, ...titles, ...words, ...roles, ...fillers])
  const composed = new RegExp(`^${any}*${anyOf([...names, ...titles, ...words])}${any}*$`)
  const beside_title = new RegExp(`${platform_name}${title}|${title}${platform_name}`)
  const titled = new RegExp(`^${any}*${title}${any}*$`)
  const on_duty = new RegExp(`^(?:${platform_name}${filler}*${duty}|${duty}${filler}*${platform_name})$`)
  return (name) =>
    readings(name).some((parts) => {
      const whole = parts.join('')
      if (composed.test(whole) || beside_title.test(whole)) return true
      return parts.some((part) => titled.test(part)) || runsOf(parts).some((run) => on_duty.test(run))
    })
}

/** Each part, and each sequence of neighbouring parts as one word. */
const runsOf = (parts: readonly string[]) =>
  parts.flatMap((_, from) => parts.slice(from).map((_, more) => parts.slice(from, from + more + 1).join('')))
