import { request } from 'node:http'

/** A complete HTTP/1.1 request with JSON, for the load generator. */
export function rawRequest(method: string, path: string, headers: Record<string, string>, json?: string) {
  return withBody(method, path, headers, 'application/json', json)
}

/** A complete HTTP/1.1 request with a form body. */
export const rawForm = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  withBody('POST', path, headers, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString())

function withBody(method: string, path: string, headers: Record<string, string>, type: string, body?: string) {
  const head = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`)
  if (body !== undefined) head.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`)
  return `${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Status and body of a GET at a local port for a host name, on a new connection. */
export const getThrough = (port: number, host: string) =>
  new Promise<string>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, headers: { host }, agent: false }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => (body += String(chunk))).on('error', reject)
      answer.on('end', () => resolve(`${answer.statusCode} ${body}`))
    })
    asked.on('error', reject).end()
  })
