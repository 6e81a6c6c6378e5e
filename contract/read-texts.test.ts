import { expect, test } from 'vitest'
import { readTextError } from './read-texts.ts'

const blank = 'blank'
const no_direction = 'invisible'
const no_order = 'reordered'

test('D-124: a text without a visible character is blank', () => {
  const invisible =
    '\u0009\u0020\u0085\u00A0\u00AD\u034F\u061C\u115F\u1160\u17B4\u180B\u180E\u2000\u200B\u200C\u200D\u200E\u2028\u202F\u205F\u2060\u2063\u2800\u3000\u3164\uFE0F\uFEFF\uFFA0\uFFFC\u{1D159}\u{1D173}\u{13441}\u{E0001}\u{E0041}\u{F0000}'
  for (const char of [...invisible, invisible, '\u0301\u0301'])
    for (const as of ['name', 'text'] as const) expect([as, char, readTextError(as, char)]).toEqual([as, char, blank])
})

test('D-124: any visible character is enough, in every script and among invisible ones', () => {
  for (const text of ['a', 'ا', '字', '한', '🙂', '🏳️‍🌈', '👨‍👩‍👧', '.', '\u200Ba', 'é', 'ก็', '́a'])
    for (const as of ['name', 'text'] as const) expect([text, readTextError(as, text)]).toEqual([text, undefined])
})

test('D-124: no text has an embedding or override; isolates and marks are for texts only, control characters too', () => {
  for (const char of '\u202A\u202B\u202C\u202D\u202E') {
    expect(readTextError('text', `a${char}b`)).toBe(no_order)
    expect(readTextError('name', `a${char}b`)).toBe(no_direction)
  }
  for (const char of '\u2066\u2067\u2068\u2069\u200E\u200F\u061C\n\u0007\u0085') {
    expect(readTextError('text', `a${char}b`)).toBeUndefined()
    expect(readTextError('name', `a${char}b`)).toBe(no_direction)
  }
})

test('F6: a name holds no line or paragraph separator; a text may', () => {
  for (const separator of ['\u2028', '\u2029', '\n'])
    expect([readTextError('name', `Ada${separator}Admin`), readTextError('text', `Ada${separator}Admin`)]).toEqual([
      'invisible',
      undefined,
    ])
})
