import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keep_alive_timeout_ms } from '../platform/keep-alive.ts'
import { package_root } from '../platform/package.ts'
import { sharedService } from '../test/harness.ts'

/** Caddy's default. */
const caddy_default_seconds = 120

const textsIn = (folder: string) =>
  readdirSync(join(package_root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.md$|Caddyfile$|\.conf$|\.cfg$/.test(entry.name))
    .map((entry) => ({ name: entry.name, text: readFileSync(join(entry.parentPath, entry.name), 'utf8') }))

/** The number of seconds after which a Caddyfile's proxies close idle connections to the service. */
const caddySeconds = (text: string) =>
  text
    .split('reverse_proxy ')
    .slice(1)
    .map((block) => Number(/\bkeepalive (\d+)s/.exec(block)?.[1] ?? caddy_default_seconds))

test('O10: the shipped proxy configurations close idle connections before the API and the router do', async () => {
  const examples = ['deploy', 'docs'].flatMap(textsIn)
  const proxies = examples.filter(({ text }) => /reverse_proxy|proxy_pass/.test(text))
  expect(proxies.map(({ name }) => name)).toEqual(expect.arrayContaining(['Caddyfile']))
  // An example for another proxy would need another comparison.
  expect(examples.filter(({ text }) => text.includes('proxy_pass'))).toEqual([])
  for (const { name, text } of proxies)
    for (const seconds of caddySeconds(text))
      expect([name, seconds * 1_000 < keep_alive_timeout_ms]).toEqual([name, true])
  for (const { text } of examples.filter(({ name }) => name === 'Caddyfile'))
    expect(caddySeconds(text).every((seconds) => seconds < caddy_default_seconds)).toBe(true)
})

test('O10: the API keeps idle connections open longer than proxies do, on every address', async () => {
  const { service } = await sharedService()
  expect(service.app.fastify.server.keepAliveTimeout).toBe(keep_alive_timeout_ms)
})
