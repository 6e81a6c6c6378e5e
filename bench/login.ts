import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hash, verify } from '@node-rs/argon2'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import { startBenchService, type BenchDatabase, type Closers } from './lib/world.ts'

const connections = 16
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const password = 'a password of the benchmarks'

/** Only argon2id: as many concurrent verifications as the service has logins, on a thread pool of the same size in a child process. */
async function verifyAlone() {
  const stored = await hash(password, parameters)
  let verified = 0
  const ends = performance.now() + seconds * 1000
  const started_at = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < ends) {
        await verify(stored, password)
        verified++
      }
    }),
  )
  process.send?.((verified / (performance.now() - started_at)) * 1000)
}

const argon2Alone = () =>
  new Promise<number>((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['alone'], { execArgv: process.execArgv })
    child.once('message', (result) => {
      child.kill()
      resolve(result as number)
    })
    child.once('error', reject)
  })

/** Logins compared with argon2id alone at the same parameters. */
export async function benchLogin(closers: Closers, database: BenchDatabase): Promise<Figure> {
  await database.pool.query('update users set password_hash = $1', [await hash(password, parameters)])
  const service = await startBenchService(closers, database)
  const requests = Array.from({ length: 500 }, (_, n) =>
    rawRequest('POST', '/api/auth/login', {}, JSON.stringify({ email: `user${n}@bench.test`, password })),
  )
  const ours = async () => {
    const result = await putLoad({ port: service.port, connections, seconds, requests })
    if (result.refused > 0) throw new Error(`${result.refused} logins were refused`)
    return result.per_second
  }
  await ours()
  const results = await inTurns('login', rounds, ours, argon2Alone)
  await service.stop()
  return {
    name: `login, ${connections} connections`,
    ours: perSecond(results.map((round) => round.ours)),
    other: `argon2id alone ${perSecond(results.map((round) => round.other))}`,
    ratio: medianRatio(results),
    must: 0.8,
    sense: 'at_least',
  }
}

if (process.argv[2] === 'alone') await verifyAlone()
