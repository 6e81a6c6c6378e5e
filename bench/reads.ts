import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { median, seeded, startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'
import { freePort } from '../server/test/free-port.ts'

const users = 10_000
const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

/** Starts a process with only the framework, which returns the same JSON from memory. */
async function serveBare(port: number) {
  const bare = fastify()
  const schema = { response: { 200: { type: 'object', properties: { points: { type: 'integer' } } } } }
  bare.get('/api/external/points', { schema }, async () => ({ points: 1_000_000_000 }))
  await bare.listen({ port, host: '127.0.0.1' })
  process.send?.('ready')
}

export async function startChild(closers: Closers, file: string, args: string[]) {
  const child = fork(file, args, { execArgv: process.execArgv })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  closers.add(async () => {
    child.kill()
    await gone
  })
  await new Promise((ready) => child.once('message', ready))
  return child.pid ?? 0
}

/**
 * `GET /api/external/points` compared with the bare framework: by rate, and by the processor time of a call in the two processes, which
 * depends less on what else the machine does.
 */
export async function benchPoints(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const bare_port = await freePort()
  const bare_pid = await startChild(closers, fileURLToPath(import.meta.url), ['bare', String(bare_port)])
  const requests = Array.from({ length: users }, (_, n) =>
    rawRequest('GET', '/api/external/points', { authorization: `Bearer ${seeded.accessToken((n * 7919) % users)}` }),
  )
  let share = 0
  const measure = async (port: number, pid: number, costs: number[]) => {
    const before = await processorSeconds(pid)
    const result = await putLoad({ port, connections, seconds, requests })
    if (result.refused > 0) throw new Error(`${result.refused} reads were refused`)
    share = result.generator_share
    costs.push((((await processorSeconds(pid)) - before) * 1_000_000) / result.answers)
    return result.per_second
  }
  await measure(service.port, service.pid, [])
  await measure(bare_port, bare_pid, [])
  const [costs, bare_costs]: [number[], number[]] = [[], []]
  const results = await inTurns(
    'points',
    rounds,
    () => measure(service.port, service.pid, costs),
    () => measure(bare_port, bare_pid, bare_costs),
  )
  await service.stop()
  const processor =
    `processor time of a call ${median(costs).toFixed(1)} µs beside ${median(bare_costs).toFixed(1)} µs, ` +
    `ratio ${median(costs.map((cost, round) => (bare_costs[round] ?? 0) / cost)).toFixed(2)} ×`
  return {
    name: 'GET /api/external/points, 10 000 users, 64 connections',
    ours: perSecond(results.map((round) => round.ours)),
    other: `bare Fastify from memory ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must: 0.6,
    sense: 'at_least',
    note: `load generator ${Math.round(share * 100)} % of a core; ${processor}`,
  }
}

if (process.argv[2] === 'bare') await serveBare(Number(process.argv[3]))
