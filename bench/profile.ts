import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ofUsers, answeredLoad, seconds } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import {
  Closers,
  createSeeded,
  seeded,
  sessionOf,
  startBenchPostgres,
  startBenchService,
  type BenchService,
} from './lib/world.ts'
import { holdLoad, readRequest, spendRequest } from './points.ts'

/** `npx tsx bench/profile.ts spend|keyed|holds|points|presence|chat`: the service's processor time under load, by function. */
const users = 10_000
const kind = process.argv[2] ?? 'spend'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  /** Microseconds between samples. */
  timeDeltas: number[]
  /** Microseconds of the monotonic clock, which all processes share. */
  startTime: number
}
const monotonic = () => Number(process.hrtime.bigint() / 1_000n)

/** Microseconds per call by function, from the samples between `begin` and `end` in which the process was not idle. */
function topOf({ nodes, samples, timeDeltas, startTime }: Profile, { begin, end, calls }: Window, lines: number) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const microseconds = new Map<string, number>()
  let total = 0
  let at = startTime
  samples.forEach((sample, index) => {
    const delta = timeDeltas[index] ?? 0
    at += delta
    const frame = frames.get(sample)
    if (!frame || frame.functionName === '(idle)' || at < begin || at > end) return
    const name = `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-3).join('/')}:${frame.lineNumber + 1}`
    microseconds.set(name, (microseconds.get(name) ?? 0) + delta)
    total += delta
  })
  const line = (name: string, sum: number) => `${(sum / calls).toFixed(2).padStart(6)} µs  ${name}`
  const sorted = [...microseconds].sort(([, a], [, b]) => b - a).slice(0, lines)
  return [line('a call, in all', total), ...sorted.map(([name, sum]) => line(name, sum))]
}

interface Window {
  begin: number
  end: number
  calls: number
}

const closers = new Closers()
const channel_id = seeded.appId(77)
const post = (path: string, body: string) => (n: number, service: BenchService) =>
  rawRequest('POST', path, sessionOf(service, n % 64), body)
const requestMakers: Record<string, (n: number, service: BenchService) => string> = {
  spend: (n) => spendRequest(n),
  keyed: (n) => spendRequest(n, true),
  points: readRequest,
  presence: post('/api/social/presence', '{"game":"chess"}'),
  chat: post(`/api/social/chat/${channel_id}/messages`, '{"body":"good game, well played"}'),
}

try {
  const make = requestMakers[kind]
  if (!make && kind !== 'holds') throw new Error(`profile what? holds, ${Object.keys(requestMakers).join(', ')}`)
  const postgres = await startBenchPostgres(closers)
  const apps = Number(process.argv[3] ?? 1)
  const database = await createSeeded({ closers, postgres }, 'profile', { users, apps })
  await database.pool.query(`insert into channels (id, type, ref_id, inserted_at) values ($1, 'table', 'p', now())`, [
    channel_id,
  ])
  const folder = join(postgres.folder, 'profile')
  await mkdir(folder, { recursive: true })
  const service = await startBenchService(closers, database, {}, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
  const load = {
    port: service.port,
    ...(make ? { requests: ofUsers(users, (n) => make(n, service)) } : { holds: holdLoad }),
  }
  await answeredLoad({ ...load, seconds: 2 })
  const begin = monotonic()
  const { answers: calls, per_second } = await answeredLoad({ ...load, seconds: seconds * 2 })
  const window = { begin, end: monotonic(), calls }
  await service.stop()
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const profile = JSON.parse(await readFile(join(folder, file ?? ''), 'utf8')) as Profile
  process.stdout.write(`${Math.round(per_second)} ${kind}/s\n${topOf(profile, window, 60).join('\n')}\n`)
} finally {
  await closers.closeAll()
}
