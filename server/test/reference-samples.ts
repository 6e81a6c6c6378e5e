import { createServer } from 'node:http'
import { atEnd } from './at-end.ts'

/** A sample as a chapter's page shows it. */
export interface ShownSample {
  operation: string
  reader: string
  code: string
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const textOf = (markup: string) =>
  markup.replace(/<[^>]*>/g, '').replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** The samples of every operation on a page of the reference. */
export const samplesOnPage = (page: string): ShownSample[] =>
  page
    .split('<article id="')
    .slice(1)
    .flatMap((article) => {
      const operation = article.slice(0, article.indexOf('"'))
      return [...article.matchAll(/<div data-tab="(\w+)">[^]*?<code>([^]*?)<\/code>/g)].map(
        ([, reader = '', code = '']) => ({
          operation,
          reader,
          code: textOf(code),
        }),
      )
    })

export interface RecordedRequest {
  method: string
  url: string
  authorization: string | undefined
  idempotency_key: string | undefined
  content_type: string | undefined
  body: unknown
}

/** Records the requests of samples to `<url>/<operation>/<reader>`. Stopped after the test file. */
export async function startRecorder() {
  const requests = new Map<string, RecordedRequest>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      const [, operation, reader, rest = ''] = /^\/(\w+)\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? []
      const content_type = request.headers['content-type']?.split(';')[0]
      requests.set(`${operation} ${reader}`, {
        method: request.method ?? '',
        url: rest,
        authorization: request.headers.authorization,
        idempotency_key: request.headers['idempotency-key'] as string | undefined,
        content_type: text === '' ? undefined : content_type,
        body: text === '' ? undefined : parsed(text, content_type),
      })
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, requests }
}

const parsed = (text: string, type: string | undefined) =>
  type === 'application/x-www-form-urlencoded'
    ? Object.fromEntries(new URLSearchParams(text))
    : (JSON.parse(text) as unknown)
