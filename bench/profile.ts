import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import {
  bench_secret,
  Closers,
  createBenchDatabase,
  healthy,
  seed,
  seeded,
  seededJwt,
  startBenchPostgres,
} from './lib/world.ts'
import { freePort } from '../server/test/free-port.ts'
import { holdLoad } from './holds.ts'
import { spendRequest } from './spend.ts'

/** `npx tsx bench/profile.ts spend|keyed|holds|points|presence|chat`: the service's processor time under load, by function. */
const users = 10_000
const kind = process.argv[2] ?? 'spend'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  /** Microseconds from one sample to the next. */
  timeDeltas: number[]
  /** Microseconds of the monotonic clock, which all processes share. */
  startTime: number
}
const monotonic = () => Number(process.hrtime.bigint() / 1_000n)

/** Microseconds per call by function, of the samples from `begin` to `end` in which the process was not idle. */
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

interface Place {
  issuer: string
  channel_id: string
}
const jwtOf = (issuer: string, n: number) => ({ authorization: `Bearer ${seededJwt(issuer, n)}` })
const requestMakers: Record<string, (n: number, place: Place) => string> = {
  spend: (n) => spendRequest(n),
  keyed: (n) => spendRequest(n, true),
  points: (n) => rawRequest('GET', '/api/external/points', { authorization: `Bearer ${seeded.accessToken(n)}` }),
  presence: (n, { issuer }) => rawRequest('POST', '/api/social/presence', jwtOf(issuer, n % 64), '{"game":"chess"}'),
  chat: (n, { issuer, channel_id }) =>
    rawRequest(
      'POST',
      `/api/social/chat/${channel_id}/messages`,
      jwtOf(issuer, n % 64),
      '{"body":"good game, well played"}',
    ),
}

const closers = new Closers()
try {
  const postgres = await startBenchPostgres(closers)
  const database = await createBenchDatabase(closers, postgres, 'profile')
  await seed(database.pool, { users, apps: Number(process.argv[3] ?? 1) })
  const folder = join(postgres.folder, 'profile')
  await mkdir(folder, { recursive: true })
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    ['--cpu-prof', `--cpu-prof-dir=${folder}`, join(package_root, 'dist/server/main.js')],
    {
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        SECRET_KEYS: bench_secret,
        DATA_DIR: folder,
        HOST: '127.0.0.1',
        PORT: String(port),
        PUBLIC_URL: issuer,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await healthy(issuer)
  const make = requestMakers[kind]
  if (!make && kind !== 'holds') throw new Error(`profile what? holds, ${Object.keys(requestMakers).join(', ')}`)
  const channel_id = seeded.appId(77)
  await database.pool.query(`insert into channels (id, type, ref_id, inserted_at) values ($1, 'table', 'p', now())`, [
    channel_id,
  ])
  const load_of = make
    ? { requests: Array.from({ length: users }, (_, n) => make((n * 7919) % users, { issuer, channel_id })) }
    : { holds: holdLoad(users) }
  await putLoad({ port, connections: 64, seconds: 2, ...load_of })
  const begin = monotonic()
  const load = await putLoad({ port, connections: 64, seconds: 8, ...load_of })
  const window = { begin, end: monotonic(), calls: load.answers }
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const profile = JSON.parse(await readFile(join(folder, file ?? ''), 'utf8')) as Profile
  process.stdout.write(`${Math.round(load.per_second)} ${kind}/s\n${topOf(profile, window, 60).join('\n')}\n`)
  await rm(folder, { recursive: true, force: true })
} finally {
  await closers.closeAll()
}
