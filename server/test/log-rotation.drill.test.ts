import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from './free-port.ts'
import { guideCommands } from './guide.ts'
import { databaseNameOf, sharedService } from './harness.ts'
import { apiProcess, startServing } from './processes.ts'
import { waitUntil } from './wait.ts'
import { newFolder } from './spaces.ts'

/** The path of a program that Debian may install outside the PATH of ordinary users. */
const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: process.env.HOME }

function has(program: string) {
  if (spawnSync(program, ['--version'], { env }).status === 0) return true
  if (process.env.CI === 'true') throw new Error(`The tests of log rotation need ${program}, a package of Debian.`)
  process.stderr.write(`Left out: a test of log rotation needs ${program}, a package of Debian.\n`)
  return false
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { msg: string; request_id?: string })
const idsOf = (text: string) => linesOf(text).flatMap(({ request_id }) => request_id ?? [])

test.runIf(has('logrotate'))(
  'the guide’s logrotate settings: the rotated file has every line so far, the new one starts empty and has the later ones',
  async () => {
    const folder = await newFolder()
    const file = join(folder, 'plaza.log')
    const settings = guideCommands('logs.md', 'rotate-a-file')
    expect(settings).toContain('/var/log/plaza/plaza.log')
    writeFileSync(join(folder, 'settings'), settings.replace('/var/log/plaza/plaza.log', file), { mode: 0o644 })

    const plaza = await sharedService()
    const port = await freePort()
    const log = openSync(file, 'a')
    const process_env = apiProcess(await databaseNameOf(plaza), { port, public_url: plaza.url })
    const { url } = await startServing({ ...process_env, LOG_LEVEL: 'info' }, { stdio: ['ignore', log, 'pipe'] })
    closeSync(log)
    /** Sends a request; resolves with its id when its line is in the file. */
    const request = async () => {
      const id = (await fetch(`${url}/livez`)).headers.get('x-request-id') ?? ''
      await waitUntil(() => readFileSync(file, 'utf8').includes(id), `the line of ${id}`, { interval_ms: 20 })
      return id
    }
    const earlier = [await request(), await request()]
    const rotated = spawnSync('logrotate', ['--force', '--state', join(folder, 'state'), join(folder, 'settings')], {
      env,
      encoding: 'utf8',
    })
    expect([rotated.status, rotated.stderr]).toEqual([0, ''])
    const later = await request()

    const old_ids = idsOf(gunzipSync(readFileSync(`${file}.1.gz`)).toString())
    expect(old_ids).toEqual(expect.arrayContaining(earlier))
    const new_ids = idsOf(readFileSync(file, 'utf8'))
    expect(new_ids).toContain(later)
    expect(new_ids.filter((id) => old_ids.includes(id))).toEqual([])
  },
)

test.runIf(has('docker-compose'))('Compose accepts the guide’s settings for the log of a service', async () => {
  const folder = await newFolder()
  mkdirSync(join(folder, 'plaza'))
  const settings = parse(guideCommands('logs.md', 'rotate-in-compose')) as object
  const file = join(folder, 'plaza/compose.yaml')
  writeFileSync(file, JSON.stringify({ services: { plaza: { image: 'plaza', ...settings } } }))
  const checked = spawnSync('docker-compose', ['--file', file, 'config'], { env, encoding: 'utf8' })
  expect([checked.status, checked.stderr]).toEqual([0, ''])
  expect(parse(checked.stdout)).toMatchObject({
    services: { plaza: { logging: { driver: 'json-file', options: { 'max-file': '5', 'max-size': '50m' } } } },
  })
})
