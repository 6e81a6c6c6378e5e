import { expect, test } from 'vitest'
import { docComment, TypePrinter, type Schema } from './schema-types.ts'

const typeOf = (schema: Schema, options = {}) => new TypePrinter(options).typeOf(schema)
const text: Schema = { type: 'string' }

test.each<[Schema, string]>([
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ type: ['string', 'null'], enum: ['a', "it's", null] }, String.raw`'a' | 'it\'s' | null`],
  [{ const: 600 }, '600'],
  [{}, 'unknown'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
  [{ type: ['array', 'null'], items: text }, 'string[] | null'],
  [{ type: 'object', properties: {} }, 'Record<string, never>'],
  [{ type: 'object', additionalProperties: true }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: text }, 'Record<string, string>'],
  [{ properties: { a: text }, additionalProperties: true }, '{ a?: string; [name: string]: unknown }'],
  [{ type: 'object', properties: { 'a-b': text, c: text }, required: ['c'] }, "{ 'a-b'?: string; c: string }"],
  [{ oneOf: [text, { $ref: '#/components/schemas/Hold' }] }, 'string | Hold'],
  [{ allOf: [{ $ref: '#/components/schemas/Hold' }, { properties: { x: text } }] }, 'Hold & { x?: string }'],
  [
    { properties: { a: text }, required: ['a'], anyOf: [{ properties: { b: text } }, { properties: { c: text } }] },
    '{ a: string; b?: string } | { a: string; c?: string }',
  ],
])('the type of %j', (schema, type) => {
  expect(typeOf(schema)).toBe(type)
})

test('optional fields of an input may be undefined; descriptions become comments', () => {
  const schema = { properties: { a: { ...text, description: 'What */ it is' }, b: text }, required: ['b'] }
  expect(typeOf(schema, { of_input: true })).toBe(
    '{\n  /** What * / it is */\n  a?: string | undefined\n  b: string\n}',
  )
})

test('a schema of an unknown kind, or a reference to something else, has no type', () => {
  expect(() => typeOf({ type: 'file' })).toThrow('no type is known for file')
  expect(() => typeOf({ $ref: '#/components/responses/X' })).toThrow('there is no type at #/components/responses/X')
})

test('a long comment is wrapped, with an empty line between paragraphs', () => {
  const words = Array.from({ length: 40 }, () => 'word').join(' ')
  const lines = docComment([words, 'End.'], 2).split('\n')
  expect(lines[0]).toBe('  /**')
  expect(lines.every((line) => line.length <= 116)).toBe(true)
  expect(lines.slice(-5)).toEqual([expect.stringMatching(/^ {3}\* word/), '   *', '   * End.', '   */', ''])
})
