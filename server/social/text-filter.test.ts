import { expect, test } from 'vitest'
import { textFilter } from './text-filter.rules.ts'

const filter = textFilter({ deny: [], allow: [] })
const masks = (filtered: (text: string) => string, cases: Record<string, string>) =>
  expect(Object.fromEntries(Object.keys(cases).map((text) => [text, filtered(text)]))).toEqual(cases)
const spares = (filtered: (text: string) => string, texts: readonly string[]) =>
  expect(texts.map(filtered)).toEqual(texts)

test('D-74: a bad word becomes one asterisk per visible character, and the rest stays', () => {
  masks(filter, {
    'fuck this': '**** this',
    'What the FUCK?': 'What the ****?',
    'no shit, no shit': 'no ****, no ****',
    '😀fuck😀': '😀****😀',
  })
})

test('D-74: disguised spellings are the same word: leet, look-alikes, accents, styled and repeated letters', () => {
  masks(filter, {
    'sh1t and $hit': '**** and ****',
    fuuuuuck: '********',
    'fück fúck': '**** ****',
    'fu\u0308ck': '****',
    '𝓯𝓾𝓬𝓴 ｆｕｃｋ': '**** ****',
    fսck: '****',
  })
})

test('D-74: invisible characters between the letters do not disguise a word', () => {
  masks(filter, {
    'fu\u200bck': '****',
    'f\u00adu\u200dc\u2060k': '****',
    'f\u0336u\u0336c\u0336k\u0336!': '****!',
  })
})

test('D-74: harmless words and names that contain or resemble a bad one are left alone', () => {
  spares(filter, [
    'Scunthorpe, Penistone, Essex, Sussex and Middlesex',
    'the cockpits of a classic assassin',
    'Dick Cheney, Dick Van Dyke and Emily Dickinson read Moby-Dick',
    'Tom, Dick and Harry',
    'an analgesic, cumin, rapeseed and shiitake',
    'analysis, assignment, assorted, passage, grass, Hitchcock, peacock',
    'summa cum laude in Fukuoka',
    'a booby trap for the pussycat',
    'the pen is mightier; mass hit; it is an al fresco dinner',
    'I have 455 points, then 4550',
    'kung fu',
  ])
  masks(filter, { 'you dick': 'you ****', 'Dick Cheney is a dick': 'Dick Cheney is a ****' })
})

test('D-74: configured words are masked in addition to the English ones, as whole words and phrases, also in disguise', () => {
  const own = textFilter({ deny: ['flibber', 'batty', 'big bad', 'хуй', 'h8r', 'a.b*c'], allow: [] })
  masks(own, {
    'FLIBBER fl1bber': '******* *******',
    'b@ttty man': '****** man',
    'big  bad wolf': '******** wolf',
    'хуй, ХУЙ': '***, ***',
    h8r: '***',
    'a.b*c': '*****',
    'fuck flibber': '**** *******',
  })
  spares(own, ['flibbers battyman', 'big and bad', 'худой', 'aXbbc'])
})

test('D-74: allowed words are never masked, whichever list has them; words that contain them are', () => {
  const lenient = textFilter({ deny: ['flibber'], allow: ['hentai', 'piss up', 'Flibber'] })
  spares(lenient, ['hentai HENTAI', 'a piss up', 'flibber'])
  masks(lenient, { 'hentaixx piss': '******xx ****' })
})

test('D-74: empty and blank words in the lists do nothing', () => {
  const odd = textFilter({ deny: ['', ' ', '\u200b'], allow: ['', ' '] })
  masks(odd, { 'a fuck b': 'a **** b', 'plain  text': 'plain  text' })
})

test('D-74: hostile texts take no longer than their length', () => {
  const own = textFilter({ deny: ['batty', 'big bad'], allow: ['piss up'] })
  const seeds = ['a', 'f', 'as', 'ass ', 'dick ', 'big ', 'kung fu ', 'cockpit ', '\u200b', '𝓯', '4']
  // Fifty times the maximum of a message: a quadratic cost would exceed the timeout.
  for (const seed of seeds) {
    const text = seed.repeat(Math.ceil(100_000 / seed.length))
    expect([...own(text)]).toHaveLength([...text].length)
  }
})
