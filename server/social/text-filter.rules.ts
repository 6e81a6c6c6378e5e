import {
  createSimpleTransformer,
  englishDataset,
  englishRecommendedBlacklistMatcherTransformers,
  RegExpMatcher,
} from 'obscenity'

/** Gives a text back with its bad words masked (D-74). The time it takes grows with the length of the text, no faster. */
export type TextFilter = (text: string) => string

export interface FilterWords {
  /** Masked beside the English list: whole words or phrases, in disguised spellings too. */
  deny: readonly string[]
  /** Never masked: whole words or phrases, whatever list says otherwise. */
  allow: readonly string[]
}

/** Harmless words and names that the English list takes for bad ones; each also with an `s` at its end. */
const harmless = `
  africanus, analect, analeptic, analgesia, analgesic, assonance, assort, assorted, assortment, booby prize,
  booby trap, booby trapped, boobook, chink in the armor, chink in the armour, cockpit, cockscomb, cockspur, cocksure,
  coriolanus, cum laude, cumin, cummerbund, cumming, cummings, cumquat, dick and harry, dick cavett, dick cheney,
  dick clark, dick francis, dick tracy, dick turpin, dick van dyke, dick whittington, dickie bird, dickinson, dickson,
  dicky bird, dickybird, dyker heights, fagin, fagus, fire retardant, flame retardant, fu manchu, fukui, fukuoka,
  fukushima, fukuyama, georgy, john lee hooker, johannus, kanal, klondyke, moby dick, montanus, negros island,
  negros occidental, negros oriental, niggard, niggardly, oilseed rape, penistone, philip k dick, philip k. dick,
  pissarro, pussy willow, pussycat, pussyfoot, rapeseed, rio negro, romanus, sanal, scat singer, scat singing,
  shiitake, silvanus, spotted dick, stephanus, sylvanus, titanus, vandyke, vulcanus, wankel, wankhede`

/** What does not show: it is written between the letters of a word to hide it. */
const invisible = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u

/** Letters that look like plain ones and are none in any normal form: the dotless i, and small capitals in their order. */
const small_capitals = new Map(
  [...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ'].map((letter, at) => [letter, 'abcdefghijklmnopqrstuvw'[at] ?? '']),
)
const look_alikes = new Map([...small_capitals, ['ı', 'i'], ['ʏ', 'y'], ['ᴢ', 'z']])

/** Is there anything in a text that shows? */
export const hasVisibleText = (text: string) => [...text].some((char) => !invisible.test(char) && char.trim() !== '')

/** Drops what does not show and takes the plain letter for a styled one (𝓪, ａ, ⓐ). */
const plainLetters = createSimpleTransformer((code) => {
  if (code < 0x80) return code
  const char = String.fromCodePoint(code)
  if (invisible.test(char)) return undefined
  return (look_alikes.get(char) ?? char.normalize('NFKD')).codePointAt(0)
})

const spelling = [plainLetters, ...englishRecommendedBlacklistMatcherTransformers]

/** Where a text is bad or spared: from one index to another, which is not part of it. */
type Stretch = readonly [from: number, to: number]

/** Builds the filter. What it does is settled here, once: the words cannot change while the service runs. */
export function textFilter({ deny, allow }: FilterWords): TextFilter {
  const { blacklistedTerms, whitelistedTerms = [] } = englishDataset.build()
  const english = new RegExpMatcher({ blacklistedTerms, blacklistMatcherTransformers: spelling })
  const own = wholeWords(deny.map((word) => respell(word).text))
  const spared = [wholeWords([...harmless.trim().split(/,\s+/), ...allow], 's?'), anywhere(whitelistedTerms)]

  return (text) => {
    const bad = englishStretches(english, text).filter(isNoNumber(text))
    if (deny.length > 0) bad.push(...stretchesRespelt(own, text))
    if (bad.length === 0) return text
    const isSpared = within(spared.flatMap((words) => stretchesOf(words, text)))
    return mask(text, merged(bad.filter((stretch) => !isSpared(stretch))))
  }
}

/** Where the words are; they are the first group, so that one may begin within another. */
const stretchesOf = (words: RegExp, text: string): Stretch[] =>
  [...text.matchAll(words)].map((match) => [match.index, match.index + (match[1] ?? '').length])

const englishStretches = (matcher: RegExpMatcher, text: string): Stretch[] =>
  matcher.getAllMatches(text).map(({ startIndex, endIndex }) => [startIndex, endIndex + 1])

/** 455 is a number, though its digits can stand for letters. */
const isNoNumber = (text: string) => (stretch: Stretch) => !/^\d+$/.test(text.slice(...stretch))

function stretchesRespelt(words: RegExp, text: string): Stretch[] {
  const respelt = respell(text)
  return stretchesOf(words, respelt.text).map(([from, to]) => {
    const last = respelt.starts[to - 1] ?? 0
    return [respelt.starts[from] ?? 0, last + widthAt(text, last)]
  })
}

const widthAt = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/** A text in the one spelling by which words are compared, and for each of its places the one in the text it came from. */
function respell(text: string) {
  const steps = spelling.map((step) => ('factory' in step ? step.factory() : step))
  const starts: number[] = []
  let respelt = ''
  let at = 0
  for (const char of text) {
    let code = char.codePointAt(0)
    for (const step of steps) if (code !== undefined) code = step.transform(code)
    if (code !== undefined) respelt += String.fromCodePoint(code)
    while (starts.length < respelt.length) starts.push(at)
    at += char.length
  }
  return { text: respelt, starts }
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Finds any of these; one that begins with another is preferred to it. */
function anyOf(words: readonly string[], space: string) {
  const known = words.filter((word) => word.trim() !== '').sort((a, b) => b.length - a.length)
  return known.length === 0 ? '(?!)' : `(?:${known.map((word) => escaped(word).replace(/\s+/g, space)).join('|')})`
}

/** Finds these words where no letter or digit stands next to them; a space in them stands for a few, or for hyphens. */
const wholeWords = (words: readonly string[], ending = '') =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?=(${anyOf(words, '[\\s-]{1,3}')}${ending})(?![\\p{L}\\p{N}]))`, 'giu')

const anywhere = (words: readonly string[]) => new RegExp(`(?=(${anyOf(words, ' {1,3}')}))`, 'gi')

/** Tells of a stretch whether it is part of one of these. */
function within(stretches: Stretch[]) {
  const ordered = stretches.sort((a, b) => a[0] - b[0])
  let farthest = 0
  const reach = ordered.map(([, to]) => (farthest = Math.max(farthest, to)))
  return ([from, to]: Stretch) => {
    let [low, high] = [0, ordered.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ordered[middle]?.[0] ?? 0) <= from) low = middle + 1
      else high = middle
    }
    return (reach[low - 1] ?? 0) >= to
  }
}

/** The same places in order, each once. */
function merged(stretches: Stretch[]): Stretch[] {
  const result: Stretch[] = []
  for (const [from, to] of stretches.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1)
    if (last && from < last[1]) result[result.length - 1] = [last[0], Math.max(last[1], to)]
    else result.push([from, to])
  }
  return result
}

/** An asterisk for every character that shows; marks that hang on the last one go with it. */
function mask(text: string, stretches: readonly Stretch[]) {
  let masked = ''
  let done = 0
  for (const [from, to] of stretches) {
    const shown = [...text.slice(from, to)].filter((char) => !invisible.test(char))
    masked += text.slice(done, from) + '*'.repeat(shown.length)
    done = to
    while (invisible.test(charAt(text, done))) done += charAt(text, done).length
  }
  return masked + text.slice(done)
}

const charAt = (text: string, at: number) => text.slice(at, at + widthAt(text, at))
