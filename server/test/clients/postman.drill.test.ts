import { convertV2 } from 'openapi-to-postmanv2'
import { expect, test } from 'vitest'
import { startTestService } from '../harness.ts'

interface Operation {
  summary: string
  security?: Record<string, string[]>[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, { type: string; scheme?: string }> }
}
interface Item {
  item?: Item[]
  request?: {
    method: string
    url: { path: string[]; host: string[] }
    auth?: { type: string } | null
    body?: { mode: string; raw?: string }
  }
}
interface Collection {
  item: Item[]
  variable: { key: string; value: string }[]
}
type Converted = { result: true; output: { data: Collection }[] } | { result: false; reason: string }

const plaza = await startTestService()

/** The collection that Postman creates from a document imported by its address. */
async function importByAddress() {
  const data = await (await fetch(`${plaza.url}/api/openapi.json`)).text()
  const options = { parametersResolution: 'Example', folderStrategy: 'Tags' } as const
  const converted = await new Promise<Converted>((done, failed) =>
    convertV2({ type: 'string', data }, options, (error, made) =>
      error ? failed(new Error(error.message)) : done(made as Converted),
    ),
  )
  if (!converted.result) throw new Error(converted.reason)
  return { document: JSON.parse(data) as Document, collection: converted.output[0]!.data }
}

const requestsIn = (items: Item[]): NonNullable<Item['request']>[] =>
  items.flatMap(({ item, request }) => [...(item ? requestsIn(item) : []), ...(request ? [request] : [])])

const methods = ['get', 'post', 'put', 'patch', 'delete']
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method): [string, Operation][] => {
      const operation = item[method]
      return operation ? [[`${method.toUpperCase()} ${path}`, operation]] : []
    }),
  )

/** Postman's name for the schemes of an operation; `noauth` if it may be called without any. */
function authOf({ components }: Document, { security = [] }: Operation) {
  const names = security.flatMap((one) => (Object.keys(one).length === 0 ? ['noauth'] : Object.keys(one)))
  const types = names.map((name) => {
    const scheme = components.securitySchemes[name]
    return scheme?.scheme ?? scheme?.type ?? name
  })
  return types.length === 0 ? ['noauth'] : types
}

test('D-114: Postman imports the document by its address: every operation, with its example and its way to authenticate', async () => {
  const { document, collection } = await importByAddress()
  expect(collection.variable).toEqual([expect.objectContaining({ key: 'baseUrl', value: plaza.url })])
  const requests = new Map(
    requestsIn(collection.item).map((request) => {
      const path = request.url.path.map((part) => part.replace(/^:(.+)$/, '{$1}')).join('/')
      return [`${request.method} /${path}`, request]
    }),
  )
  const operations = operationsOf(document)
  expect(operations.length).toBeGreaterThan(100)
  expect([...requests.keys()].toSorted()).toEqual(operations.map(([name]) => name).toSorted())
  // The converter writes its errors into the texts that it creates.
  expect(JSON.stringify(collection)).not.toMatch(/<Error|Error while|undefined/)

  let bodies = 0
  for (const [name, operation] of operations) {
    const { url, auth, body } = requests.get(name)!
    expect([name, url.host]).toEqual([name, ['{{baseUrl}}']])
    expect([name, authOf(document, operation)]).toEqual([name, expect.arrayContaining([auth?.type ?? 'noauth'])])
    const example = operation.requestBody?.content['application/json']?.example
    if (example === undefined || body?.mode !== 'raw') continue
    expect([name, JSON.parse(body.raw ?? '')]).toEqual([name, example])
    bodies++
  }
  const with_example = operations.filter(([, { requestBody }]) => requestBody?.content['application/json']?.example)
  expect(bodies).toBe(with_example.length)
})
