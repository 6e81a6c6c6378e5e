import { fork, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pkce } from '../server/test/pkce.ts'
import { Browser } from './lib/browser.ts'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import type { FlowOptions } from './lib/flows.ts'
import { putLoad, type Load } from './lib/load.ts'
import { rawForm } from './lib/raw.ts'
import { seeded, seededJwt, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'
import { freePort } from '../server/test/free-port.ts'

const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const users = 1_000

const rivals = join(import.meta.dirname, 'rivals')
const oidc_client = { client_id: 'bench', client_secret: 'bench-secret-bench-secret-bench-secret' }
const plaza_client = { client_id: 'client0', client_secret: seeded.clientSecret(0) }

/** Installs the other servers once; they are not dependencies of the project. */
export function installRivals() {
  if (existsSync(join(rivals, 'node_modules'))) return
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: rivals,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('the other sides of the figures could not be installed')
}

async function startRival(closers: Closers, file: string, args: string[]): Promise<unknown> {
  const child = fork(join(rivals, file), args, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  closers.add(async () => {
    child.kill()
    await gone
  })
  return new Promise((ready, failed) => {
    child.once('message', ready)
    child.once('exit', (code) => failed(new Error(`${file} ended with ${code}`)))
  })
}

const authorizationUrl = (base: string, code_challenge: string) =>
  `${base}/auth?${new URLSearchParams({ client_id: 'bench', response_type: 'code', redirect_uri: 'https://bench.test/cb', scope: 'points:read', code_challenge, code_challenge_method: 'S256' }).toString()}`

/** Signs in and consents at oidc-provider's development pages; returns the browser, whose next authorization needs no interaction. */
async function signInAtOidc(base: string) {
  const browser = new Browser()
  const { code_verifier, code_challenge } = pkce()
  let page = await browser.open(authorizationUrl(base, code_challenge))
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

const basic = ({ client_id, client_secret }: typeof oidc_client) =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

async function oidcAccessToken(base: string) {
  const { code, code_verifier } = await signInAtOidc(base)
  const reply = await fetch(`${base}/token`, {
    method: 'POST',
    headers: { authorization: basic(oidc_client) },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://bench.test/cb',
      code_verifier,
    }),
  })
  return ((await reply.json()) as { access_token: string }).access_token
}

async function rate(load: Load) {
  const result = await putLoad(load)
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  return result.per_second
}

/** `POST /api/oauth/token/verify` compared with introspection of oidc-provider in memory; both with form bodies. */
export async function benchVerify(closers: Closers, database: BenchDatabase): Promise<Figure> {
  installRivals()
  const port = await freePort()
  await startRival(closers, 'oidc-provider.mjs', [String(port)])
  const token = await oidcAccessToken(`http://127.0.0.1:${port}`)
  // With rate limits: counting calls is part of the cost of this endpoint.
  const service = await startBenchService(closers, database, { RATE_LIMIT_TOKEN_VERIFY: '100000000/60' })
  const ours = Array.from({ length: users }, (_, n) =>
    rawForm('/api/oauth/token/verify', { token: seeded.accessToken(n) }),
  )
  const theirs = [rawForm('/token/introspection', { token }, { authorization: basic(oidc_client) })]
  const measure = (side: number, requests: string[]) => () => rate({ port: side, connections, seconds, requests })
  await measure(service.port, ours)()
  const results = await inTurns('verify', rounds, measure(service.port, ours), measure(port, theirs))
  await service.stop()
  return {
    name: 'POST /api/oauth/token/verify, 1 000 tokens, 64 connections, rate limit counted in PostgreSQL',
    ours: perSecond(results.map((round) => round.ours)),
    other: `oidc-provider introspection in memory ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must: 3,
    sense: 'at_least',
  }
}

/** Authorization and code exchange compared with oidc-provider in memory or with Better Auth on the same PostgreSQL. */
export async function benchExchange(
  closers: Closers,
  database: BenchDatabase,
  rival: 'oidc-provider' | 'better-auth',
): Promise<Figure> {
  installRivals()
  const port = await freePort()
  const service = await startBenchService(closers, database)
  const other = await rivalFlow(closers, rival, port, database)
  const sessions = Array.from({ length: connections }, (_, n) => seededJwt(service.issuer, n))
  const ours: FlowOptions = { server: 'plaza', ...plaza_client, sessions }
  const measure = (side: number, flow: FlowOptions) => () => rate({ port: side, connections, seconds, flow })
  await measure(service.port, ours)()
  const results = await inTurns(`exchange, ${rival}`, rounds, measure(service.port, ours), measure(port, other))
  await service.stop()
  return {
    name: 'authorize + code exchange, 64 connections',
    ours: perSecond(results.map((round) => round.ours)),
    other: `${rival === 'oidc-provider' ? 'oidc-provider in memory' : 'Better Auth on the same PostgreSQL'} ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must: rival === 'oidc-provider' ? 1 : 3,
    sense: 'at_least',
  }
}

async function rivalFlow(
  closers: Closers,
  server: 'oidc-provider' | 'better-auth',
  port: number,
  { host, user, pool, name }: BenchDatabase,
): Promise<FlowOptions> {
  if (server === 'oidc-provider') {
    await startRival(closers, 'oidc-provider.mjs', [String(port)])
    const { cookie } = await signInAtOidc(`http://127.0.0.1:${port}`)
    return { server, ...oidc_client, sessions: [cookie] }
  }
  await pool.query(`create database ${name}_better_auth`)
  const started = await startRival(closers, 'better-auth.mjs', [String(port), host, user, `${name}_better_auth`])
  const { cookie, client_id, client_secret } = started as { cookie: string; client_id: string; client_secret: string }
  return { server, client_id, client_secret, sessions: [cookie] }
}
