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
import { spendRequest } from './spend.ts'

/** `npx tsx bench/profile.ts spend|points|presence|chat`: the service's processor time under load, by function. */
const users = 10_000
const kind = process.argv[2] ?? 'spend'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
}

function topOf({ nodes, samples }: Profile, lines: number) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const counts = new Map<string, number>()
  for (const sample of samples) {
    const frame = frames.get(sample)
    const name = frame
      ? `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-3).join('/')}:${frame.lineNumber + 1}`
      : '?'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, lines)
    .map(([name, count]) => `${((count / samples.length) * 100).toFixed(1).padStart(5)} %  ${name}`)
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
  if (!make) throw new Error(`profile what? ${Object.keys(requestMakers).join(', ')}`)
  const channel_id = seeded.appId(77)
  await database.pool.query(`insert into channels (id, type, ref_id, inserted_at) values ($1, 'table', 'p', now())`, [
    channel_id,
  ])
  const requests = Array.from({ length: users }, (_, n) => make((n * 7919) % users, { issuer, channel_id }))
  const load = await putLoad({ port, connections: 64, seconds: 8, requests })
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
  const profile = JSON.parse(await readFile(join(folder, file ?? ''), 'utf8')) as Profile
  process.stdout.write(`${Math.round(load.per_second)} ${kind}/s\n${topOf(profile, 45).join('\n')}\n`)
  await rm(folder, { recursive: true, force: true })
} finally {
  await closers.closeAll()
}
