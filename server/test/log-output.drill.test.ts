import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from './free-port.ts'
import { countBy, databaseNameOf, sharedService } from './harness.ts'
import { apiProcess, startServing } from './processes.ts'
import { newFolder } from './spaces.ts'

const plaza = await sharedService()
const name = await databaseNameOf(plaza)

type Logging = Awaited<ReturnType<typeof serviceLoggingTo>>

/** Starts a process of the service with this file descriptor as its standard output. */
async function serviceLoggingTo(fd: number) {
  const [port, metrics_port] = [await freePort(), await freePort()]
  const settings = { LOG_LEVEL: 'info', DRAIN_SECONDS_API: '0', METRICS_PORT: String(metrics_port) }
  const env = { ...apiProcess(name, { port, public_url: `http://127.0.0.1:${port}` }), ...settings }
  const started = await startServing(env, { stdio: ['ignore', fd, 'pipe'] })
  return { ...started, metrics_url: `http://127.0.0.1:${metrics_port}/metrics` }
}

/** A trace makes lines longer. */
const traceparent = 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Sends requests, pipelined on eight connections, each of which logs a line, and asserts that all succeed. */
async function sendRequests(url: string, requests = requests_over_buffer) {
  const statuses = await Promise.all(Array.from({ length: 8 }, () => statusesOf(url, requests / 8)))
  expect(countBy(statuses.flat(), (status) => status)).toEqual({ '200': requests })
}

function statusesOf(url: string, requests: number) {
  const { hostname, port } = new URL(url)
  const head = `GET /livez HTTP/1.1\r\nHost: ${hostname}\r\n${traceparent}\r\n`
  const requestWith = (header: string) => `${head}${header}\r\n`
  return new Promise<string[]>((done, failed) => {
    let received = ''
    const socket = connect(Number(port), hostname)
    socket.write(requestWith('').repeat(requests - 1) + requestWith('Connection: close\r\n'))
    socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', failed)
    socket.on('close', () => done(Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status = '']) => status)))
  })
}

/** More lines than fit into the buffer; each has about 260 bytes. */
const requests_over_buffer = 5_000

const logCheck = async ({ url }: Logging) => {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as {
    checks: { name: string; status: string; reason: string | null }[]
  }
  return checks.find((check) => check.name === 'log')
}

const dropping = { name: 'log', status: 'degraded', reason: null }

/** The job library bypasses the log to print this when a connection takes long on a busy machine. */
const slow_connection = /^Trace: Error: timeout exceeded when trying to connect\n(?: {4}at .*\n)*/gm

async function stops({ child, ended }: Logging) {
  child.kill('SIGTERM')
  const { code, signal, stderr } = await ended
  expect({ code, signal, stderr: stderr.replace(slow_connection, '') }).toEqual({ code: 0, signal: null, stderr: '' })
}

const droppedLines = async ({ metrics_url }: Logging) =>
  Number(/^plaza_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(metrics_url)).text())?.[1])

/** Closes the descriptor only once: if closed again, its number may belong to a connection of this process. */
function opened(path: string, flags: number) {
  const fd = openSync(path, flags)
  let is_open = true
  const close = () => {
    if (is_open) closeSync(fd)
    is_open = false
  }
  onTestFinished(close)
  return { fd, close }
}

test('a pipe without a reading process: requests are served, no line is kept in memory beyond the buffer, SIGTERM stops the process', async () => {
  const fifo = join(await newFolder(), 'log')
  spawnSync('mkfifo', [fifo])
  const service = await serviceLoggingTo(opened(fifo, constants.O_RDWR).fd)
  // On a busy machine the first write into the pipe ends after the first dropped line, and reports it.
  for (const _fill of ['pipe', 'buffer']) await sendRequests(service.url)
  expect(await logCheck(service)).toEqual(dropping)
  // The buffer is full except for a few bytes, so further lines are dropped and use no memory.
  const before = await droppedLines(service)
  await sendRequests(service.url, 800)
  expect((await droppedLines(service)) - before).toBeGreaterThan(790)
  await stops(service)
})

test('a closed pipe: requests are served, SIGTERM stops the process', async () => {
  const fifo = join(await newFolder(), 'log')
  spawnSync('mkfifo', [fifo])
  const ends = opened(fifo, constants.O_RDWR)
  const service = await serviceLoggingTo(ends.fd)
  ends.close()
  await sendRequests(service.url, 400)
  await stops(service)
})

/** Mounts a tmpfs of 2 MB; returns whether that worked. */
const mountTmpfs = (path: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path]).status === 0
const probe = await mkdtemp(join(tmpdir(), 'plaza-mount-'))
const may_mount = process.getuid?.() === 0 && mountTmpfs(probe)
if (may_mount) spawnSync('umount', [probe])
await rm(probe, { recursive: true, force: true })
if (!may_mount && process.env.CI === 'true') throw new Error('The test of a full disk must be able to mount one.')
if (!may_mount) process.stderr.write('Left out: the test of a log on a full disk must be able to mount one.\n')

test.runIf(may_mount)(
  'a full disk: requests are served; once there is space, lines are written again and the dropped ones reported',
  async () => {
    const disk = await newFolder()
    expect(mountTmpfs(disk)).toBe(true)
    onTestFinished(() => void spawnSync('umount', ['--lazy', disk]))
    const log = join(disk, 'log')
    const service = await serviceLoggingTo(opened(log, constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND).fd)
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(4_000_000)).catch(() => {})
    await sendRequests(service.url)
    expect(await logCheck(service)).toEqual(dropping)
    await unlink(ballast)
    await expect.poll(() => logCheck(service)).toMatchObject({ name: 'log', status: 'ok' })
    await sendRequests(service.url, 16)
    await stops(service)

    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
    const read = lines.map((line) => JSON.parse(line) as { msg: string; lines?: number })
    const reports = read.filter(({ msg }) => msg.endsWith('log lines were dropped'))
    expect(reports.length).toBeGreaterThan(0)
    expect(read.at(-1)?.msg).toBe('stopped')
    // Every request was logged or counted as dropped.
    const dropped = reports.reduce((sum, line) => sum + (line.lines ?? 0), 0)
    expect(read.filter(({ msg }) => msg === 'request').length + dropped).toBeGreaterThanOrEqual(
      requests_over_buffer + 16,
    )
  },
)
