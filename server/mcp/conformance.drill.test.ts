import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, request as forwardTo } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mcp_path } from '../../contract/mcp.ts'
import { agentWorld } from '../test/agents.ts'
import { freePort } from '../test/free-port.ts'
import { startTestService } from '../test/harness.ts'
import { conformanceFixtures } from '../test/mcp-fixtures.ts'
import { commandOf, findNewerNode } from '../test/newer-node.ts'
import { startProcess } from '../test/processes.ts'
import { long_lifetimes } from '../test/settings.ts'

const node = await findNewerNode()
if (node === undefined && process.env.CI === 'true') throw new Error('The conformance suite needs a Node ≥ 22.')
if (node === undefined) process.stderr.write('Left out: the conformance suite of MCP needs a Node ≥ 22.\n')

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const plaza = await startTestService({ ...long_lifetimes, PUBLIC_URL: url }, { mcp_fixtures: conformanceFixtures })

/** Forwards from the public address to the service, and adds the token: the suite can send none. */
async function startForwarding(access_token: string) {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', headers, url: path = '/' } = incoming
    const sent = { ...headers, authorization: `Bearer ${access_token}` }
    const forwarded = forwardTo(plaza.url + path, { method, headers: sent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
      outgoing.on('close', () => answer.destroy())
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
}

test.skipIf(node === undefined)(
  'D-156: every server requirement of MCP 2026-07-28 passes in the suite of the protocol, with its fixtures beside our tools',
  async () => {
    const { tokens } = await agentWorld(plaza, { url })
    await startForwarding(tokens.access_token)
    const results = mkdtempSync(join(tmpdir(), 'plaza-mcp-'))
    onTestFinished(() => rm(results, { recursive: true, force: true }))
    const suite = commandOf('@modelcontextprotocol/conformance', 'conformance')
    const args = ['server', '--url', url + mcp_path, '--requirements', '2026-07-28', '--output-dir', results]
    const { code, stdout, stderr } = await startProcess(node ?? '', [suite, ...args], {}, { cwd: results }).ended
    expect(code, stdout + stderr).toBe(0)
  },
  240_000,
)
