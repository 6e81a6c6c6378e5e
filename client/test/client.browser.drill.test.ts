import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { atEnd } from '../../server/test/at-end.ts'
import { freePort } from '../../server/test/free-port.ts'
import { startConsole, type Page } from '../../web/test/browser.ts'
import type * as flow_module from './flow/flow.ts'
import { addFlow, emptyProject, flowOf, flowSettings } from './packed.ts'

// Names of logo hosts are not resolved: no DNS query leaves this machine.
const { plaza, pageAs } = await startConsole({ DNS_SERVERS: '127.0.0.1:1' })
const project = await emptyProject()
await addFlow(project)
await project.compile()

const html = `<!doctype html>
<title>Shop</title>
<script type="importmap">{ "imports": { "@plaza/client": "/node_modules/@plaza/client/dist/index.js" } }</script>
<script type="module">
  import * as flow from '/flow.js'
  globalThis.flow = flow
</script>
<h1>Shop</h1>`

/** A site of another origin, whose pages load the packed client without a bundler. */
async function openSite() {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://site.test').pathname)
    if (!path.endsWith('.js')) return void response.setHeader('content-type', 'text/html').end(html)
    readFile(join(project.folder, path)).then(
      (code) => response.setHeader('content-type', 'text/javascript').end(code),
      () => response.writeHead(404).end(),
    )
  })
  const port = await freePort()
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}

/** The result of the flow on the page. */
type Flow = typeof flow_module
const withFlow = (page: Page) => page.waitForFunction(() => 'flow' in globalThis)

test('the packed client plays the main flow in Chromium, on a page of another origin, with the real consent page', async () => {
  const site = await openSite()
  const { user, settings } = await flowSettings(plaza, `${site}/callback`)
  const { client_secret: _, ...public_settings } = settings
  const page = await pageAs(user)
  await page.goto(site)
  await withFlow(page)
  await page.evaluate(async (given) => {
    const { flow } = globalThis as unknown as { flow: Flow }
    const { address, pending } = await flow.begin(given)
    sessionStorage.setItem('pending', JSON.stringify(pending))
    location.assign(address)
  }, public_settings)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${site}/callback?**`)
  await withFlow(page)
  const seen = await page.evaluate(async (given) => {
    const { flow } = globalThis as unknown as { flow: Flow }
    const pending = JSON.parse(sessionStorage.getItem('pending') ?? '') as Parameters<Flow['play']>[2]
    return flow.play(given, location.href, pending)
  }, public_settings)
  expect(seen).toEqual(flowOf(user.username, { has_secret: false }))
})
