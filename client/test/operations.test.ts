import { expect, test } from 'vitest'
import { sharedService } from '../../server/test/harness.ts'
import { appCredentials, openPlaza, type CallOptions } from '../src/index.ts'
import { openRoad } from './road.ts'

const plaza = await sharedService()

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: object }>>
}
const { paths } = (await (await fetch(`${plaza.url}/api/openapi.json`)).json()) as Document
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, responses }]) => ({
    id: operationId,
    is_stream: JSON.stringify(responses).includes('"text/event-stream"'),
    parameters: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `a/${name}`])),
    line: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, 'a%2F$1')}`,
  })),
)

type Call = (input: object, options: CallOptions) => unknown

test('D-114: the calls of the client are exactly the operations of the document, by name', () => {
  expect(Object.keys(openPlaza({ url: plaza.url })).sort()).toEqual(operations.map(({ id }) => id).sort())
})

test('every call goes to the method and path of its operation, with its parameters escaped', async () => {
  const road = await openRoad(plaza)
  const calls = openPlaza({ url: road.url, retries: 0 }) as unknown as Record<string, Call>
  for (const { id, is_stream, parameters } of operations) {
    const made = calls[id]?.(parameters, {})
    await (
      is_stream ? (made as AsyncIterable<unknown>)[Symbol.asyncIterator]().next() : (made as Promise<unknown>)
    ).catch(() => {})
  }
  expect(road.requests.map(({ line }) => line)).toEqual(operations.map(({ line }) => line))
})

test('D-126: a field of the query goes there, also where the call has a body', async () => {
  const road = await openRoad(plaza)
  const app = openPlaza({
    url: road.url,
    retries: 0,
    credentials: appCredentials({ client_id: 'a', client_secret: 'b' }),
  })
  await app.changeDeployment({ id: 'x', port: 80, wait: 60 }).catch(() => {})
  await app.rollBackDeployment({ id: 'x', wait: 5 }).catch(() => {})
  expect(road.requests.map(({ line, headers }) => [line, headers['content-type']])).toEqual([
    ['PATCH /api/deploy/apps/x?wait=60', 'application/json'],
    ['POST /api/deploy/apps/x/rollback?wait=5', undefined],
  ])
  expect(road.requests[0]?.headers['content-length']).toBe(String('{"port":80}'.length))
})
