import { expect, test } from 'vitest'
import { approveApp } from '../../contract/admin-apps.ts'
import { failures } from '../../contract/errors.ts'
import { allow } from '../test/clients/browser.ts'
import { freePort } from '../test/free-port.ts'
import { startTestService } from '../test/harness.ts'
import { startImageHost } from '../test/image-host.ts'
import { endAfterwards, firstLineOf, startSample } from '../test/samples.ts'
import { waitUntil } from '../test/wait.ts'
import { givePoints, pointsOf, someUser, theAdmin } from '../test/world.ts'

const plaza = await startTestService({ CLIENT_DOCUMENTS: 'any' })
const host = await startImageHost()

test('D-156, D-36: the agent of the guide goes from nothing to a spend: document, approval, PKCE, balance, question, spend, limit', async () => {
  const [port, user] = [await freePort(), await someUser(plaza)]
  await givePoints(plaza, user, 2_000)
  const client_id = `${host.url}/documents/agent.json`
  const document = {
    client_id,
    client_name: 'My agent',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
    scope: 'profile:read points:read points:spend',
  }
  host.handlers.set('/documents/agent.json', (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(document))
  })
  const program = startSample(plaza, 'agents.md', 'agent-node', { CLIENT_ID: client_id, PORT: String(port) })
  endAfterwards(program)
  const address = await firstLineOf(program)
  expect(new URL(address).searchParams.get('resource')).toBe(`${plaza.url}/mcp`)
  // The first visit makes a pending app from the document; an admin approves it.
  const visit = await fetch(address.replace('/oauth/authorize', '/api/oauth/authorize'), {
    headers: { authorization: `Bearer ${user.token}` },
  })
  expect(visit.status).toBe(403)
  const [app] = await plaza.db.sql<{ id: string }>`select id from oauth_apps where client_id = ${client_id}`
  await (await theAdmin(plaza)).api.result(approveApp, { params: { id: app!.id }, body: {} })
  const back = await fetch(await allow(plaza, user, address))
  expect([back.status, await back.text()]).toEqual([200, 'Go on in the terminal.'])
  const lines = () => program.stdout().trimEnd().split('\n').slice(1)
  await waitUntil(() => lines().length === 2 || program.child.exitCode !== null)
  expect(lines(), program.stderr()).toEqual([
    'getPoints: {"points":2000,"held":0}',
    'Spend 2 points of yours? My agent asks for it and gets the points. It says: “A question”',
  ])
  program.child.stdin?.write('yes\n')
  await waitUntil(() => lines().length === 4 || program.child.exitCode !== null)
  expect(lines().slice(2)).toEqual([
    expect.stringMatching(
      /^spendPoints: \{"success":true,"points":1998,"amount_spent":2,"transfer_id":"[0-9a-f-]{36}"\}$/,
    ),
    'Spend 1,001 points of yours? My agent asks for it and gets the points. It says: “Many questions”',
  ])
  program.child.stdin?.write('yes\n')
  expect([(await program.ended).code, lines()[4]]).toEqual([
    0,
    `spendPoints: refused {"error":"spending_limit_reached","message":"${failures.spending_limit_reached.message}"}`,
  ])
  expect(await pointsOf(user)).toBe(1_998)
})
