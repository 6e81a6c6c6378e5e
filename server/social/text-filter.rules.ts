import {
  englishDataset,
  englishRecommendedBlacklistMatcherTransformers,
  SyntaxKind,
  type Node,
  type ParsedPattern,
} from 'obscenity'
import { isId } from '../platform/ids.ts'

/** Masks the bad words of a text. Its time is linear in the length of the text. */
export type TextFilter = (text: string) => string

export interface FilterWords {
  /** Masked in addition to the English list: whole words or phrases, also in disguised spellings. */
  deny: readonly string[]
  /** Whole words or phrases that are never masked, even if a list contains them. */
  allow: readonly string[]
}

/** Words and names that the English list masks by mistake, each also with a final `s`. */
const false_positives = `
  africanus, analect, analeptic, analgesia, analgesic, assonance, assort, assorted, assortment, booby prize,
  booby trap, booby trapped, boobook, chink in the armor, chink in the armour, cockpit, cockscomb, cockspur, cocksure,
  coriolanus, cum laude, cumin, cummerbund, cumming, cummings, cumquat, dick and harry, dick cavett, dick cheney,
  dick clark, dick francis, dick tracy, dick turpin, dick van dyke, dick whittington, dickie bird, dickinson, dickson,
  dicky bird, dickybird, dyker heights, fagin, fagus, fire retardant, flame retardant, fu manchu, fukui, fukuoka,
  fukushima, fukuyama, georgy, john lee hooker, johannus, kanal, klondyke, moby dick, montanus, negros island,
  negros occidental, negros oriental, niggard, niggardly, oilseed rape, penistone, philip k dick, philip k. dick,
  pissarro, pussy willow, pussycat, pussyfoot, rapeseed, rio negro, romanus, sanal, scat singer, scat singing,
  shiitake, silvanus, spotted dick, stephanus, sylvanus, titanus, vandyke, vulcanus, wankel, wankhede`

/** Invisible characters, which disguise a word when placed between its letters. */
const invisible = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u

/** Letters that look like plain ones but have no plain normal form: the dotless i, and small capitals. */
const small_capitals = new Map(
  [...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ'].map((letter, at) => [letter, 'abcdefghijklmnopqrstuvw'[at] ?? '']),
)
const look_alikes = new Map([...small_capitals, ['ı', 'i'], ['ʏ', 'y'], ['ᴢ', 'z']])

/** The character without its style (𝓪, ａ, ⓐ); undefined for an invisible one. */
function plainLetter(code: number) {
  if (code < 0x80) return code
  const char = String.fromCodePoint(code)
  if (invisible.test(char)) return undefined
  return (look_alikes.get(char) ?? char.normalize('NFKD')).codePointAt(0)
}

const steps = englishRecommendedBlacklistMatcherTransformers
const letter_steps = steps.flatMap((step) => ('transform' in step ? step.transform : []))
const run_steps = steps.flatMap((step) => ('factory' in step ? step.factory : []))

/** The letter that a character is compared as. */
const spelledAnew = (code: number) =>
  letter_steps.reduce<number | undefined>((letter, step) => letter && step(letter), plainLetter(code))

/** The letters for Latin, Greek and Cyrillic characters, which most texts consist of. */
const spelled = Array.from({ length: 0x530 }, (_, code) => spelledAnew(code))

/** A range of a text, with an exclusive end. */
type Span = readonly [from: number, to: number]

/** Builds the filter. The lists are compiled here once: they do not change while the service runs. */
export function textFilter({ deny, allow }: FilterWords): TextFilter {
  const { blacklistedTerms, whitelistedTerms = [] } = englishDataset.build()
  const sources = blacklistedTerms.map(({ pattern }) => sourceOf(pattern))
  // Most texts match nothing: one expression detects that at a third of the cost of all.
  const any_english = new RegExp(sources.join('|'), 's')
  const english = sources.map((source) => new RegExp(`(${source})`, 'gs'))
  const denied = wholeWords(deny.map((word) => normalize(word).text))
  const allowed = [wholeWords([...false_positives.trim().split(/,\s+/), ...allow], 's?'), anywhere(whitelistedTerms)]

  return (text) => {
    const normalized = normalize(text)
    const bad = any_english.test(normalized.text)
      ? english.flatMap((word) => originalSpans(word, normalized)).filter(isNoNumber(text))
      : []
    if (deny.length > 0) bad.push(...originalSpans(denied, normalized))
    if (bad.length === 0) return text
    const isAllowed = within(allowed.flatMap((words) => spansOf(words, text)))
    return mask(text, merged(bad.filter((span) => !isAllowed(span))))
  }
}

/** The filter for names that programs may generate: it does not read digits of an id as letters. */
export const nameFilter =
  (filter: TextFilter): TextFilter =>
  (name) =>
    isId(name) ? name : filter(name)

/** The spans of the words: a lookahead group, so that one may begin within another. */
const spansOf = (words: RegExp, text: string): Span[] =>
  [...text.matchAll(words)].map((match) => [match.index, match.index + (match[1] ?? '').length])

/** 455 is a number, although its digits could stand for letters. */
const isNoNumber = (text: string) => (span: Span) => !/^\d+$/.test(text.slice(...span))

/** The positions of the words in the original text. */
const originalSpans = (words: RegExp, { text, starts, ends }: Normalized): Span[] =>
  spansOf(words, text).map(([from, to]) => [starts[from] ?? 0, ends[to - 1] ?? 0])

/** A text in the spelling used for comparison, with the position of each character in the original text. */
interface Normalized {
  text: string
  starts: number[]
  ends: number[]
}

function normalize(original: string): Normalized {
  const runs = run_steps.map((create) => create())
  const [starts, ends]: [number[], number[]] = [[], []]
  let text = ''
  for (let at = 0, end = 0; at < original.length; at = end) {
    const code = original.codePointAt(at) ?? 0
    end = at + (code > 0xffff ? 2 : 1)
    let letter = code < spelled.length ? spelled[code] : spelledAnew(code)
    for (const run of runs) letter &&= run.transform(letter)
    if (letter === undefined) continue
    text += String.fromCodePoint(letter)
    while (starts.length < text.length) {
      starts.push(at)
      ends.push(end)
    }
  }
  return { text, starts, ends }
}

/** The source of an expression for a pattern of the English list. */
function sourceOf({ nodes, requireWordBoundaryAtStart, requireWordBoundaryAtEnd }: ParsedPattern) {
  const edge = (is_required: boolean) => (is_required ? '\\b' : '')
  return edge(requireWordBoundaryAtStart) + nodes.map(sourceOfNode).join('') + edge(requireWordBoundaryAtEnd)
}

function sourceOfNode(node: Node): string {
  if (node.kind === SyntaxKind.Optional) return `(?:${sourceOfNode(node.childNode)})?`
  return node.kind === SyntaxKind.Wildcard ? '.' : escaped(String.fromCodePoint(...node.chars))
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Matches any of these, preferring the longest. */
function anyOf(words: readonly string[], space: string) {
  const known = words.filter((word) => word.trim() !== '').sort((a, b) => b.length - a.length)
  return known.length === 0 ? '(?!)' : `(?:${known.map((word) => escaped(word).replace(/\s+/g, space)).join('|')})`
}

/**
 * Matches these words if no letter or digit is next to them; a space in them matches one to three spaces or hyphens.
 */
const wholeWords = (words: readonly string[], ending = '') =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?=(${anyOf(words, '[\\s-]{1,3}')}${ending})(?![\\p{L}\\p{N}]))`, 'giu')

const anywhere = (words: readonly string[]) => new RegExp(`(?=(${anyOf(words, ' {1,3}')}))`, 'gi')

/** Returns a function that says whether a span is part of one of these. */
function within(spans: Span[]) {
  const ordered = spans.sort((a, b) => a[0] - b[0])
  let farthest = 0
  const reach = ordered.map(([, to]) => (farthest = Math.max(farthest, to)))
  return ([from, to]: Span) => {
    let [low, high] = [0, ordered.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ordered[middle]?.[0] ?? 0) <= from) low = middle + 1
      else high = middle
    }
    return (reach[low - 1] ?? 0) >= to
  }
}

/** The same spans in order, with overlapping ones merged. */
function merged(spans: Span[]): Span[] {
  const result: Span[] = []
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && from < last[1]) result[result.length - 1] = [last[0], Math.max(last[1], to)]
    else result.push([from, to])
  }
  return result
}

/** Replaces every visible character by an asterisk; combining marks after the last one are dropped. */
function mask(text: string, spans: readonly Span[]) {
  let masked = ''
  let done = 0
  for (const [from, to] of spans) {
    const visible = Array.from(text.slice(from, to)).filter((char) => !invisible.test(char))
    masked += text.slice(done, from) + '*'.repeat(visible.length)
    done = to
    while (invisible.test(charAt(text, done))) done += charAt(text, done).length
  }
  return masked + text.slice(done)
}

const charAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0)
