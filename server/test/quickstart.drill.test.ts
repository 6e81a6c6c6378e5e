import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root } from '../platform/package.ts'
import { freePort } from './free-port.ts'
import { blocksOf } from './guide.ts'
import { startProcess, type Started } from './processes.ts'

const limit_seconds = 180

const blocks = blocksOf('quickstart.md', await readFile(join(package_root, 'docs/quickstart.md'), 'utf8'))
const commands = blocks.filter(({ language }) => language === 'sh')
const answers = blocks.filter(({ language }) => language === 'json')
const [start, ...others] = commands

/** Folders that a clone does not have. */
const of_no_clone = new Set(['.git', '.screenshots', 'coverage', 'data', 'data-sandbox', 'dist', 'node_modules'])

async function freshCopy() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-quickstart-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await cp(package_root, folder, {
    recursive: true,
    filter: (path) =>
      !relative(package_root, path)
        .split('/')
        .some((name) => of_no_clone.has(name)),
  })
  return folder
}

/** Marks the output of each block in that of the whole script. */
const marked = ({ id, text }: { id: string | undefined; text: string }) => `echo "::: ${id}"\n${text}\necho`

/** The output of each block by its id. */
const outputsOf = (stdout: string) =>
  Object.fromEntries(
    stdout
      .split(/^::: /m)
      .slice(1)
      .map((part) => {
        const [id = '', ...lines] = part.split('\n')
        return [id, lines.join('\n').trim()]
      }),
  )

const varies = /^(id|.*_id|inserted_at|next_cursor)$/

/** An answer without what differs from run to run. */
const comparable = (json: string) =>
  JSON.parse(json, (key, value: unknown) => (varies.test(key) && value !== null ? `some ${key}` : value)) as unknown

/** Ends npm and what it has started. */
async function end({ child, ended }: Started) {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
  await ended
}

test('the quickstart has blocks with unique ids, and every answer that it shows belongs to one of them', () => {
  expect(start?.id).toBe('start')
  const ids = commands.map(({ id }) => id)
  expect(ids).not.toContain(undefined)
  expect(new Set(ids).size).toBe(ids.length)
  expect(answers.filter(({ id }) => !ids.includes(id))).toEqual([])
  expect(answers.length).toBeGreaterThan(3)
  expect(blocks.length).toBe(commands.length + answers.length)
})

test(
  'D-102: the quickstart, to the letter, in a fresh copy: from the clone to a spend in one’s own app within three minutes',
  { timeout: 600_000 },
  async () => {
    const port = await freePort()
    // The machine of the tests has other programs on the port of the page.
    const toLetter = (text: string) => text.replaceAll('localhost:3000', `localhost:${port}`)
    const settings = { NODE_ENV: undefined, PORT: String(port), ROUTER_PORT: String(await freePort()) }
    const started_at = performance.now()
    const cwd = await freshCopy()
    const service = startProcess('sh', ['-euc', start!.text], settings, { cwd, detached: true })
    onTestFinished(() => end(service))
    const script = others.map((block) => toLetter(marked(block))).join('\n')
    const play = startProcess('sh', ['-euc', script], {}, { cwd })
    onTestFinished(() => void play.child.kill('SIGKILL'))
    let spent_at: number | undefined
    play.child.stdout?.on('data', () => {
      if (spent_at === undefined && play.stdout().includes('"amount_spent":30')) spent_at = performance.now()
    })
    const { code, stdout, stderr } = await Promise.race([
      play.ended,
      service.ended.then(({ stdout: said, stderr: why }) => {
        throw new Error(`the sandbox ended: ${said.slice(-2_000)}${why.slice(-2_000)}`)
      }),
    ])
    const context = `${stderr.slice(-2_000)}\n${stdout.slice(-2_000)}\n${service.stderr().slice(-2_000)}`
    expect(code, context).toBe(0)
    const outputs = outputsOf(stdout)
    for (const { id = '', text } of answers)
      expect([id, comparable(outputs[id] ?? 'null')]).toEqual([id, comparable(text)])
    const seconds = ((spent_at ?? Infinity) - started_at) / 1_000
    process.stdout.write(`quickstart: ${seconds.toFixed(0)} s from the clone to the first spend\n`)
    expect(seconds).toBeLessThan(limit_seconds)
  },
)
