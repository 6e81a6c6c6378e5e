import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { atEnd } from './at-end.ts'

/** A minimal image of each supported type; the service recognizes types by the first bytes. */
export const sample_images = {
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwAD9QH+V7mXAAAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
  'image/gif': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  'image/webp': Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  'image/avif': Buffer.from('\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf\0\0\0\x08mdat', 'latin1'),
  'image/svg+xml': Buffer.from(
    '\uFEFF<?xml version="1.0"?>\n<!-- > -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="#b5432f"/></svg>\n',
  ),
}

/** A web server of a third party. */
export interface ImageHost {
  url: string
  port: number
  /** By path; a path without a handler responds with a PNG. */
  handlers: Map<string, RequestListener>
  /** All requests received, in order. */
  requests: IncomingMessage[]
}

/** Starts a host on a loopback address; stopped after the test file. */
export async function startImageHost(address = '127.0.0.1', port = 0): Promise<ImageHost> {
  const handlers = new Map<string, RequestListener>()
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const answer = handlers.get(new URL(request.url ?? '/', 'http://host').pathname)
    if (answer) answer(request, response)
    else response.setHeader('content-type', 'image/png').end(sample_images['image/png'])
  })
  await new Promise<void>((done) => server.listen(port, address, done))
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  const at = server.address() as { port: number }
  return { url: `http://${address}:${at.port}`, port: at.port, handlers, requests }
}
