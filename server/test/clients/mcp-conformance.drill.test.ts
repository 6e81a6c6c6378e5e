import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { startTestService } from '../harness.ts'
import { commandOf, findNewerNode } from '../newer-node.ts'
import { startProcess } from '../processes.ts'
import { waitUntil } from '../wait.ts'
import { someApp, someUser, type SomeApp, type SomeUser } from '../world.ts'
import { allow } from './browser.ts'

const node = await findNewerNode()
if (!node && process.env.CI === 'true')
  throw new Error('The drill of MCP’s authorization suite needs Node 22, or npm to fetch it.')
if (!node) process.stderr.write('Left out: the drill of MCP’s authorization suite needs Node 22, or npm to fetch it.\n')

const plaza = await startTestService()

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED'
  errorMessage?: string
}

/** Runs the `authorization` suite of @modelcontextprotocol/conformance. `onAddress` acts as the browser at the address that it prints. */
async function runSuite(args: string[], onAddress?: (address: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'plaza-mcp-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const suite = commandOf('@modelcontextprotocol/conformance', 'conformance')
  const started = startProcess(node ?? '', [suite, 'authorization', '--url', plaza.url, '-o', folder, ...args], {})
  onTestFinished(() => void started.child.kill('SIGKILL'))
  if (onAddress) {
    const listens = () => started.stdout().includes('Callback server started')
    const address = () => /^http\S+\/oauth\/authorize\?\S+$/m.exec(started.stdout())?.[0]
    await waitUntil(() => (listens() && address() !== undefined) || started.child.exitCode !== null)
    await onAddress(address() ?? `The suite ended: ${started.stdout()}${started.stderr()}`)
  }
  const { code, stdout, stderr } = await started.ended
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('checks.json'),
  )
  const checks = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Check[])
  const outcomes = checks.map(({ id, status, errorMessage }) => [id, status, ...(errorMessage ? [errorMessage] : [])])
  return { code, output: stdout + stderr, outcomes: outcomes.toSorted() }
}

/** The browser of a person who allows the app, and follows the redirect to the suite's callback. */
const visit = (user: SomeUser) => async (address: string) => {
  const reply = await fetch(await allow(plaza, user, address))
  expect([reply.status, await reply.text()]).toEqual([200, 'OK. You can close this page.'])
}

/** An app that may redirect to the suite, and a person. */
async function appOfSuite() {
  const port = await freePort()
  const redirect_uris = [`http://127.0.0.1:${port}/callback`]
  const [app, user] = [await someApp(plaza, { redirect_uris }), await someUser(plaza)]
  return { app, user, port }
}

const clients: Record<string, (app: SomeApp) => string[]> = {
  public: ({ client_id }) => ['--client-id', client_id],
  confidential: ({ client_id, client_secret }) => ['--client-id', client_id, '--client-secret', client_secret],
}

test.runIf(node)('D-36, spec Authentication: MCP’s authorization suite passes, metadata and code grant', async () => {
  for (const kind of ['public', 'confidential']) {
    const { app, user, port } = await appOfSuite()
    const args = [...clients[kind]!(app), '--port', String(port), '--resource', plaza.url]
    const { code, output, outcomes } = await runSuite(args, visit(user))
    expect([kind, code, outcomes], output).toEqual([kind, 0, passed])
  }
})

const passed = [
  ['authorization-code-grant', 'SUCCESS'],
  ['authorization-server-metadata', 'SUCCESS'],
  ['authorization-server-metadata-cimd', 'SUCCESS'],
]
