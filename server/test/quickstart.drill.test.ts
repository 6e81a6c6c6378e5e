import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root } from '../platform/package.ts'
import { buildConsole } from './build.ts'
import { freePort } from './free-port.ts'
import { blocksOf } from './guide.ts'
import { startProcess, type Started } from './processes.ts'

const blocks = blocksOf('quickstart.md', await readFile(join(package_root, 'docs/quickstart.md'), 'utf8'))
const commands = blocks.filter(({ language }) => language === 'sh')
const answers = blocks.filter(({ language }) => language === 'json')
const [start, ...others] = commands

/** Folders that are not copied: packages are linked, and the others belong to this working tree. */
const not_copied = new Set(['.git', '.screenshots', 'coverage', 'data', 'data-sandbox', 'node_modules'])

/** A copy of the project as `npm ci` and a first build leave it. `.ci/run` and the drill of the image run both in fresh clones. */
async function installedCopy() {
  await buildConsole()
  const folder = await mkdtemp(join(tmpdir(), 'plaza-quickstart-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await cp(package_root, folder, {
    recursive: true,
    // Of a build the times count.
    preserveTimestamps: true,
    filter: (path) => {
      const names = relative(package_root, path).split('/')
      return (
        !names.some((name) => not_copied.has(name)) && !(names[0] === 'dist' && /^test-|\.lock$/.test(names[1] ?? ''))
      )
    },
  })
  await symlink(join(package_root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Marks the output of each block in the output of the whole script. */
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

/** An answer without the values that differ from run to run. */
const comparable = (json: string) =>
  JSON.parse(json, (key, value: unknown) => (varies.test(key) && value !== null ? `some ${key}` : value)) as unknown

/** Ends npm and all its processes. */
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

test('D-102: the commands of the quickstart lead from a start to a spend in one’s own app, and answer as it shows', async () => {
  const port = await freePort()
  // Other programs of the test machine use the port of the page.
  const toLetter = (text: string) => text.replaceAll('localhost:3000', `localhost:${port}`)
  const settings = { NODE_ENV: undefined, PORT: String(port), ROUTER_PORT: String(await freePort()) }
  const cwd = await installedCopy()
  const start_installed = start!.text.replace('npm ci', 'true')
  const service = startProcess('sh', ['-euc', start_installed], settings, { cwd, detached: true })
  onTestFinished(() => end(service))
  const script = others.map((block) => toLetter(marked(block))).join('\n')
  const play = startProcess('sh', ['-euc', script], {}, { cwd })
  onTestFinished(() => void play.child.kill('SIGKILL'))
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
})
