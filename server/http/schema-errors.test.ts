import { expect, test } from 'vitest'
import { operations } from '../../contract/operations.ts'
import type { Failure } from '../platform/failure.ts'
import { processorSecondsOf } from '../test/processor-time.ts'
import type { JsonSchema } from './json-schema.ts'
import { schemaErrors } from './schema-errors.ts'
import { compileCheck } from './validation.ts'

const errorsOf = (schema: JsonSchema, value: unknown) =>
  schemaErrors(schema, value, { is_coerced: false, errors_max: 20 }).map(({ path, message }) => [path, message])

const list: JsonSchema = { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 3, pattern: '^a*$' } }

test('S-2: validation stops after 20 errors, and checks no further item', () => {
  let read = 0
  const items = new Proxy(Array<number>(50).fill(7), {
    get: (target, name) => {
      if (name !== 'length' && !Number.isNaN(Number(String(name)))) read++
      return Reflect.get(target, name) as unknown
    },
  })
  const errors = schemaErrors(
    { type: 'object', properties: { list } },
    { list: items },
    { is_coerced: false, errors_max: 20 },
  )
  expect(errors).toHaveLength(20)
  expect(errors.at(-1)).toEqual({ path: 'list.19', message: 'must be string', is_size: false })
  expect(read).toBeLessThanOrEqual(20)
})

test('S-2: a list, object or text that is too large has one error, whatever its content', () => {
  const record: JsonSchema = { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } }
  const schema: JsonSchema = { type: 'object', properties: { list, record, text: list.items! } }
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, at]))
  expect(errorsOf(schema, { list: Array(51).fill(7), record: wide, text: 'b'.repeat(60_000) })).toEqual([
    ['list', 'must NOT have more than 50 items'],
    ['record', 'must NOT have more than 2 properties'],
    ['text', 'must NOT have more than 3 characters'],
  ])
})

test('H15: the error of a wrong name or value in an object of many names has its path', () => {
  const schema = operations['createDeployment']!.body as unknown as JsonSchema
  const body = { image: 'x', tier: 'small', env_vars: { 'not-a-name': 'x', GOOD: 7, FINE: 'x' } }
  expect(errorsOf(schema, body)).toEqual([
    ['env_vars.not-a-name', 'must be the name of a variable'],
    ['env_vars.GOOD', 'must be string'],
  ])
})

const large: Record<string, unknown> = {
  numbers: Array(9_000).fill(1),
  'empty texts': Array(9_000).fill(''),
  objects: Array.from({ length: 9_000 }, () => ({})),
  'a wide object': Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`n${at}`, at])),
  'a long text': 'x'.repeat(60_000),
  spaces: ' '.repeat(60_000),
  'many dots': 'a.'.repeat(30_000),
  'many at signs': 'a@'.repeat(30_000),
}

test('S-2: no field of any operation causes more than 20 errors or takes long, whatever its content', async () => {
  for (const [name, { body, errors }] of Object.entries(operations)) {
    if (!body || errors === 'oauth') continue
    const check = compileCheck(body, 'body')
    const { properties = {} } = body as unknown as JsonSchema
    const bodyOf = (value: unknown) => Object.fromEntries(Object.keys(properties).map((field) => [field, value]))
    for (const [what, value] of Object.entries(large)) {
      const fieldsOf = () => {
        try {
          check(bodyOf(value))
          return []
        } catch (error) {
          return (error as Failure).answer.fields ?? []
        }
      }
      fieldsOf()
      let fields: unknown[] = []
      const seconds = await processorSecondsOf(async () => void (fields = fieldsOf()))
      // Quadratic time would be seconds.
      expect([name, what, fields.length <= 20, seconds < 0.5]).toEqual([name, what, true, true])
    }
  }
})
