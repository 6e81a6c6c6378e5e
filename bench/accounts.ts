import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hash, verify } from '@node-rs/argon2'
import { freePort } from '../server/test/free-port.ts'
import { pkce } from '../server/test/pkce.ts'
import { Browser } from './lib/browser.ts'
import { nextMessage, startChild } from './lib/child.ts'
import { compare, type Figure } from './lib/figure.ts'
import type { FlowOptions } from './lib/flows.ts'
import { connections, ofUsers, rateOf, seconds } from './lib/load.ts'
import { rawForm, rawRequest } from './lib/raw.ts'
import { seeded, seededJwt, startBenchService, type Closers, type World } from './lib/world.ts'

const rivals = join(import.meta.dirname, 'rivals')
const oidc_client = { client_id: 'bench', client_secret: 'bench-secret-bench-secret-bench-secret' }
const plaza_client = { client_id: 'client0', client_secret: seeded.clientSecret(0) }

/** Starts another server. These servers are installed once, because they are not dependencies of the project. */
function startRival<Message>(closers: Closers, file: string, args: string[]) {
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  if (!existsSync(join(rivals, 'node_modules')) && spawnSync('npm', options, { cwd: rivals, stdio: 'inherit' }).status)
    throw new Error('the other sides of the figures could not be installed')
  return startChild<Message>(closers, join(rivals, file), args, { exec_args: [] })
}

/** Signs in and consents at oidc-provider's development pages. The next authorization of this browser needs no interaction. */
async function signInAtOidc(base: string) {
  const browser = new Browser()
  const { code_verifier, code_challenge } = pkce()
  const query = new URLSearchParams({
    client_id: 'bench',
    response_type: 'code',
    redirect_uri: 'https://bench.test/cb',
    scope: 'points:read',
    code_challenge,
    code_challenge_method: 'S256',
  })
  let page = await browser.open(`${base}/auth?${query.toString()}`)
  for (let steps = 0; steps < 10 && !page.location?.startsWith('https://bench.test'); steps++) {
    if (page.location) page = await browser.open(page.location)
    else {
      const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? ''
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: 'anna', password: 'any' }) })
      page = await browser.open(new URL(action, base).toString(), { method: 'POST', body })
    }
  }
  const code = new URL(page.location ?? '').searchParams.get('code') ?? ''
  return { cookie: browser.cookie(), code, code_verifier }
}

const oidc_basic = `Basic ${Buffer.from(`${oidc_client.client_id}:${oidc_client.client_secret}`).toString('base64')}`

async function oidcAccessToken(base: string) {
  const { code, code_verifier } = await signInAtOidc(base)
  const fields = { grant_type: 'authorization_code', code, redirect_uri: 'https://bench.test/cb', code_verifier }
  const reply = await fetch(`${base}/token`, {
    method: 'POST',
    headers: { authorization: oidc_basic },
    body: new URLSearchParams(fields),
  })
  return ((await reply.json()) as { access_token: string }).access_token
}

export const verifyRequest = (n: number) => rawForm('/api/oauth/token/verify', { token: seeded.accessToken(n) })

/** `POST /api/oauth/token/verify` compared with introspection of oidc-provider in memory; both with form bodies. */
export async function benchVerify({ closers, database }: World): Promise<Figure> {
  const port = await freePort()
  await startRival(closers, 'oidc-provider.mjs', [String(port)])
  const token = await oidcAccessToken(`http://127.0.0.1:${port}`)
  // With rate limits, because counting calls is part of the cost of this endpoint.
  const service = await startBenchService(closers, database, { RATE_LIMIT_TOKEN_VERIFY: '100000000/60' })
  const theirs = [rawForm('/token/introspection', { token }, { authorization: oidc_basic })]
  return compare(
    {
      name: 'POST /api/oauth/token/verify, 1 000 tokens, 64 connections, rate limit counted in PostgreSQL',
      other: 'oidc-provider introspection in memory',
      must: 3,
    },
    () => rateOf({ port: service.port, requests: ofUsers(1_000, verifyRequest) }),
    () => rateOf({ port, requests: theirs }),
  )
}

type Rival = 'oidc-provider' | 'better-auth'

/** Authorization and code exchange compared with oidc-provider in memory or with Better Auth on the same PostgreSQL. */
export const benchExchange = (rival: Rival) =>
  async function run(world: World): Promise<Figure> {
    const port = await freePort()
    const service = await startBenchService(world.closers, world.database)
    const theirs = await rivalFlow(world, rival, port)
    const sessions = Array.from({ length: connections }, (_, n) => seededJwt(service.issuer, n))
    return compare(
      {
        name: 'authorize + code exchange, 64 connections',
        other: rival === 'oidc-provider' ? 'oidc-provider in memory' : 'Better Auth on the same PostgreSQL',
        must: rival === 'oidc-provider' ? 1 : 3,
      },
      () => rateOf({ port: service.port, flow: { server: 'plaza', ...plaza_client, sessions } }),
      () => rateOf({ port, flow: theirs }),
    )
  }

async function rivalFlow({ closers, database }: World, server: Rival, port: number): Promise<FlowOptions> {
  if (server === 'oidc-provider') {
    await startRival(closers, 'oidc-provider.mjs', [String(port)])
    const { cookie } = await signInAtOidc(`http://127.0.0.1:${port}`)
    return { server, ...oidc_client, sessions: [cookie] }
  }
  const { host, user, pool, name } = database
  await pool.query(`create database ${name}_better_auth`)
  const args = [String(port), host, user, `${name}_better_auth`]
  const { first } = await startRival<{ cookie: string; client_id: string; client_secret: string }>(
    closers,
    'better-auth.mjs',
    args,
  )
  const { cookie, ...client } = first
  return { server, ...client, sessions: [cookie] }
}

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const password = 'a password of the benchmarks'
const logins_at_once = 16

/** Only argon2id: as many concurrent verifications as the service has logins, on a thread pool of the same size. */
async function verifyAlone() {
  const stored = await hash(password, parameters)
  let verified = 0
  const started_at = performance.now()
  const verifyUntilEnd = async () => {
    for (; performance.now() < started_at + seconds * 1000; verified++) await verify(stored, password)
  }
  await Promise.all(Array.from({ length: logins_at_once }, verifyUntilEnd))
  return (verified / (performance.now() - started_at)) * 1000
}

/** Logins compared with argon2id alone, with the same parameters. */
export async function benchLogin({ closers, database }: World): Promise<Figure> {
  await database.pool.query('update users set password_hash = $1', [await hash(password, parameters)])
  const { port } = await startBenchService(closers, database)
  const { child } = await startChild(closers, fileURLToPath(import.meta.url), ['alone'])
  const requests = Array.from({ length: 500 }, (_, n) =>
    rawRequest('POST', '/api/auth/login', {}, JSON.stringify({ email: `user${n}@bench.test`, password })),
  )
  return compare(
    { name: `login, ${logins_at_once} connections`, other: 'argon2id alone', must: 0.8 },
    () => rateOf({ port, connections: logins_at_once, requests }),
    () => {
      const rate = nextMessage<number>(child)
      child.send('verify')
      return rate
    },
  )
}

if (process.argv[2] === 'alone') {
  process.on('message', () => void verifyAlone().then((rate) => process.send?.(rate)))
  process.send?.('ready')
}
