import { Ajv2020 } from 'ajv/dist/2020.js'
import fastJsonStringify from 'fast-json-stringify'
import { expect, test } from 'vitest'
import { Failure } from '../platform/failure.ts'
import { sharedService } from '../test/harness.ts'
import { compileCheck, type RequestPart } from './validation.ts'

const { endpoints } = (await sharedService()).service.app

/** Errors other than a refusal. */
function errorOf(work: () => unknown) {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Failure ? undefined : error
  }
}

test('every request schema is valid and compiles, so that the first request of an endpoint cannot fail on it', () => {
  const ajv = new Ajv2020()
  for (const { method, path, params, query, headers, body } of endpoints) {
    const parts = { params, querystring: query, headers, body }
    for (const [part, schema] of Object.entries(parts))
      if (schema) {
        const name = `${method} ${path}, ${part}`
        expect(ajv.validateSchema(schema), name).toBe(true)
        expect(
          errorOf(() => compileCheck(schema, part as RequestPart)({})),
          name,
        ).toBeUndefined()
      }
  }
})

test('every response schema has a serialiser', () => {
  for (const { method, path, response } of endpoints)
    expect(
      errorOf(() => fastJsonStringify(response)),
      `${method} ${path}`,
    ).toBeUndefined()
})
