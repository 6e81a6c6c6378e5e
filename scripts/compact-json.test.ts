import { expect, test } from 'vitest'
import { compactJson } from './compact-json.ts'

test('a value that fits takes one line, an only member its parent’s line, and words share lines', () => {
  const value = {
    name: 'lantern',
    words: ['first', 'second'],
    note: 'a text that is too long for the line of the others',
    only: { one: { first: { a: 1 }, second: { $ref: '#/x' }, third: { $ref: '#/y' } } },
  }
  expect(compactJson(value, 60)).toBe(
    [
      '{',
      '  "name": "lantern", "words": ["first", "second"],',
      '  "note": "a text that is too long for the line of the others",',
      '  "only": {"one": {',
      '    "first": {"a": 1},',
      '    "second": {"$ref": "#/x"}, "third": {"$ref": "#/y"}',
      '  }}',
      '}',
    ].join('\n'),
  )
  expect(compactJson(value, 1_000).split('\n')).toHaveLength(1)
})

test('the last member begins on its parent’s line if only words that fit precede it', () => {
  const inner = { first: { a: 'a text that is rather long' }, second: { a: 'another text of this length' } }
  expect(compactJson({ type: 'object', required: ['first'], properties: inner }, 60)).toBe(
    [
      '{"type": "object", "required": ["first"], "properties": {',
      '  "first": {"a": "a text that is rather long"},',
      '  "second": {"a": "another text of this length"}',
      '}}',
    ].join('\n'),
  )
  expect(compactJson({ type: 'a text that leaves no room for more', properties: inner }, 50).split('\n')[1]).toBe(
    '  "type": "a text that leaves no room for more",',
  )
  expect(compactJson({ type: { a: 1 }, properties: inner }, 60).split('\n')[1]).toBe('  "type": {"a": 1},')
})

test('it is the same JSON', () => {
  const value = { a: [1, [2, { b: null }], []], 'a "key"': { $ref: 'x' }, text: 'a\nb', none: {} }
  for (const width of [1, 20, 200]) expect(JSON.parse(compactJson(value, width))).toEqual(value)
})
