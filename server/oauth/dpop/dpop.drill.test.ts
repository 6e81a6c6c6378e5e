import { expect, test } from 'vitest'
import { accessToken, completeSignIn, dpopFetch, openPlaza, startSignIn } from '../../../client/src/index.ts'
import { missing_balancers, startCaddy } from '../../test/balancers.ts'
import { allow } from '../../test/clients/browser.ts'
import { newProver } from '../../test/dpop.ts'
import { freePort } from '../../test/free-port.ts'
import { countBy, databaseNameOf, startTestService, type TestService } from '../../test/harness.ts'
import { apiProcess, startServing } from '../../test/processes.ts'
import { credentialsOf, firstLineOf, startSample } from '../../test/samples.ts'
import { isOk, waitUntil } from '../../test/wait.ts'
import { codeRequest, givePoints, pointsOf, signedInAgain, someApp, someCode, someUser } from '../../test/world.ts'

if (missing_balancers.includes('caddy') && process.env.CI === 'true') throw new Error('The drill of DPoP needs caddy.')
if (missing_balancers.includes('caddy')) process.stderr.write('Left out: DPoP behind a proxy needs caddy.\n')

const plaza = await startTestService()
const redirect_uri = 'https://app.test/callback'

/** Two processes behind Caddy, which calls them by another host name than PUBLIC_URL's. */
async function startBehindCaddy() {
  const ports = [await freePort(), await freePort()]
  const caddy = await startCaddy(
    ports.map((api_port) => ({ api_port, router_port: api_port })),
    'plaza.internal',
  )
  const database = await databaseNameOf(plaza)
  await Promise.all(ports.map((port) => startServing(apiProcess(database, { port, public_url: caddy.api_url }))))
  await waitUntil(() => isOk(`${caddy.api_url}/readyz`), 'Caddy')
  return { behind: { url: caddy.api_url } as TestService, ports }
}

async function replays(ports: number[], url: string, rounds: number) {
  const [app, user] = [await someApp(plaza, { scopes: ['points:read'] }), await someUser(plaza)]
  const prover = await newProver()
  const post = async (nonce?: string) =>
    fetch(`${url}/api/oauth/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        dpop: await prover.proof({ method: 'POST', url: `${url}/api/oauth/token`, nonce }),
      },
      body: JSON.stringify(request),
    })
  const request = codeRequest(app, await someCode(app, user))
  const nonce = (await post()).headers.get('dpop-nonce') ?? ''
  const { access_token } = (await (await post(nonce)).json()) as { access_token: string }
  const path = '/api/external/points'
  const outcomes: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const dpop = await prover.proof({ url: url + path, access_token, nonce })
    const calls = ports.flatMap((port) => Array.from({ length: 5 }, () => port))
    const statuses = await Promise.all(
      calls.map(async (port) => {
        const headers = { authorization: `DPoP ${access_token}`, dpop }
        return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
      }),
    )
    outcomes.push(countBy(statuses, String))
  }
  return outcomes
}

test.skipIf(missing_balancers.includes('caddy'))(
  'D-152: behind Caddy, which changes the host, the guide leads from nothing to a spend; a proof is used once in two processes',
  async () => {
    const { behind, ports } = await startBehindCaddy()
    const app = await someApp(plaza, { scopes: ['profile:read', 'points:spend'], redirect_uris: [redirect_uri] })
    const person = await someUser(plaza)
    await givePoints(plaza, person, 20)
    const user = await signedInAgain(behind, person)

    const env = { CLIENT_ID: credentialsOf(app).CLIENT_ID, REDIRECT_URI: redirect_uri }
    const program = startSample(behind, 'sign-in.md', 'dpop-node', env)
    const callback = await allow(behind, user, await firstLineOf(program))
    program.child.stdin?.end(`${callback.href}\n`)
    const { code, stdout, stderr } = await program.ended
    expect(stdout, stderr).toMatch(/dpop 20[01] \{[^]*renewed for 3[56]\d\d s/)
    expect([code, await pointsOf(person)]).toEqual([0, 15])

    const fetch = dpopFetch()
    const { address, pending } = await startSignIn({ url: behind.url, client_id: app.client_id, redirect_uri })
    const answered = await allow(behind, user, address)
    const { access_token } = await completeSignIn({ callback: answered.href, pending, fetch })
    const api = openPlaza({ url: behind.url, credentials: accessToken(access_token), fetch })
    await api.spendPoints({ amount: 5 })
    expect(await pointsOf(person)).toBe(10)

    for (const outcome of await replays(ports, behind.url, 20)) expect(outcome).toEqual({ 200: 1, 401: 9 })
  },
  120_000,
)
