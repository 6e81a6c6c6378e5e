// Loaded before the demo: sends its calls to Plaza's API through Prism, which compares requests and responses with the
// document and reports mismatches as errors. Each call is logged to $CALLS_LOG, with Prism's findings.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const { CALLS_LOG, OPENAPI_DOCUMENT } = process.env
const direct = fetch
const isOfPlaza = ({ pathname }) => /^\/(?:api|\.well-known)\//.test(pathname)

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Starts Prism in front of a service; resolves when it listens. */
async function startProxy(service) {
  const port = await freePort()
  const prism = join(import.meta.dirname, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const args = ['proxy', OPENAPI_DOCUMENT, service, '--errors', '--host', '127.0.0.1', '--port', String(port)]
  // The options of this process would load this file into Prism too.
  const env = { ...process.env, NODE_OPTIONS: '' }
  const child = spawn(process.execPath, [prism, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill())
  child.unref()
  for await (const line of createInterface(child.stdout)) if (line.includes('is listening')) break
  child.stdout.resume()
  child.stdout.unref()
  child.stderr.unref()
  return `http://127.0.0.1:${port}`
}

const proxies = new Map()
const proxyOf = (service) => {
  if (!proxies.has(service)) proxies.set(service, startProxy(service))
  return proxies.get(service)
}

globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (!isOfPlaza(url)) return direct(input, init)
  const through = new URL(url.pathname + url.search, await proxyOf(url.origin))
  const response = await direct(input instanceof Request ? new Request(through, input) : through, init)
  const isOfPrism = response.headers.get('content-type')?.includes('problem+json')
  const found = isOfPrism ? await response.clone().text() : response.headers.get('sl-violations')
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  appendFileSync(
    CALLS_LOG,
    `${JSON.stringify({ call: `${method} ${url.pathname}`, status: response.status, found })}\n`,
  )
  return response
}
