import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import { package_root } from '../platform/package.ts'
import { startTestService } from '../test/harness.ts'
import { ContentError, parseCourse } from './content.rules.ts'
import { loadCourse } from './content.store.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

async function folderWith(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-content-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

const good = `title: A path
summary: About it
modules:
  - module_number: 1
    title: A module
    summary: About the module
    cooldown_days: 3
    sources:
      - title: A source
        url: https://example.org/source
    steps:
      - step_id: first-step
        title: A step
        reward: 5
        body: |
          One paragraph.

          Another.
      - step_id: second-step
        title: Another step
        body: Short.
`

const problemsOf = (files: Record<string, string>) => {
  const given = Object.entries(files).map(([path, text]) => ({ file: `${path}.yaml`, path, text }))
  try {
    parseCourse(given)
    return []
  } catch (error) {
    if (error instanceof ContentError) return error.problems
    throw error
  }
}
/** The problems of the valid file after one replacement. */
const problemsWith = (piece: string, replacement: string) => {
  expect(good).toContain(piece)
  return problemsOf({ good: good.replace(piece, () => replacement) })
}

test('D-77 valid content loads, with the default cooldown', () => {
  const course = parseCourse([{ file: 'good.yaml', path: 'good', text: good.replace('    cooldown_days: 3\n', '') }])
  expect([...course]).toEqual([
    [
      'good',
      {
        path: 'good',
        title: 'A path',
        summary: 'About it',
        modules: [
          {
            module_number: 1,
            title: 'A module',
            summary: 'About the module',
            cooldown_days: decisions.module_resets.cooldown_days,
            sources: [{ title: 'A source', url: 'https://example.org/source' }],
            steps: [
              { step_id: 'first-step', title: 'A step', reward: 5, body: 'One paragraph.\n\nAnother.\n' },
              { step_id: 'second-step', title: 'Another step', body: 'Short.' },
            ],
          },
        ],
      },
    ],
  ])
})

test('two paths may use the same module_number, and modules are sorted by number', () => {
  const other = `title: Other
summary: Other
modules:
  - { module_number: 3, title: C, summary: C, steps: [{ step_id: c, title: C, body: C }] }
  - { module_number: 1, title: A, summary: A, steps: [{ step_id: a, title: A, body: A }] }
`
  const course = parseCourse([
    { file: 'good.yaml', path: 'good', text: good },
    { file: 'other.yaml', path: 'other', text: other },
  ])
  expect(course.get('other')?.modules.map(({ module_number }) => module_number)).toEqual([1, 3])
})

test.each<[string, string, string, string[]]>([
  ['a missing field', '    title: A module\n', '', ['good.yaml:4: modules[0]: `title` is missing']],
  ['an unknown field', 'reward: 5', 'rewards: 5', ['good.yaml:14: modules[0].steps[0]: `rewards` is not a field']],
  [
    'a blank text',
    'title: Another step',
    "title: ' '",
    ['good.yaml:20: modules[0].steps[1].title: must be text that is not blank'],
  ],
  ['an empty value', 'summary: About it', 'summary:', ['good.yaml:2: summary: must be string']],
  ['a number instead of text', 'body: Short.', 'body: 7', ['good.yaml:21: modules[0].steps[1].body: must be string']],
  [
    'a module number below one',
    'module_number: 1',
    'module_number: 0',
    ['good.yaml:4: modules[0].module_number: must be >= 1'],
  ],
  ['a reward of zero', 'reward: 5', 'reward: 0', ['good.yaml:14: modules[0].steps[0].reward: must be >= 1']],
  [
    'a fraction of a point',
    'reward: 5',
    'reward: 0.5',
    [
      'good.yaml:14: modules[0].steps[0].reward: must be integer',
      'good.yaml:14: modules[0].steps[0].reward: must be >= 1',
    ],
  ],
  [
    'a negative cooldown',
    'cooldown_days: 3',
    'cooldown_days: -1',
    ['good.yaml:7: modules[0].cooldown_days: must be >= 0'],
  ],
  [
    'a source without https',
    'https://example.org/source',
    'http://example.org/source',
    ['good.yaml:10: modules[0].sources[0].url: must be an https address'],
  ],
  [
    'a step_id that is not a slug',
    'first-step',
    'First Step',
    ['good.yaml:12: modules[0].steps[0].step_id: must be lower-case words and digits, joined by hyphens'],
  ],
  [
    'a step_id that is too long',
    'first-step',
    'x'.repeat(101),
    ['good.yaml:12: modules[0].steps[0].step_id: must NOT have more than 100 characters'],
  ],
  [
    'a step_id used twice',
    'second-step',
    'first-step',
    ['good.yaml:19: step_id first-step is already used in good.yaml:12'],
  ],
  [
    'no steps',
    good.slice(good.indexOf('    steps:')),
    '    steps: []\n',
    ['good.yaml:11: modules[0].steps: must NOT have fewer than 1 items'],
  ],
  ['the same key twice', 'title: A path\n', 'title: A path\ntitle: A path\n', ['good.yaml:2: Map keys must be unique']],
  ['bad YAML', 'title: A path', 'title: "A path', ['good.yaml:22: Missing closing "quote']],
  [
    'a text that PostgreSQL cannot store',
    'title: Another step',
    'title: "a\\0b"',
    ['good.yaml:20: holds a NUL or half a surrogate pair'],
  ],
  ['a reference', 'title: Another step', 'title: *name', ['good.yaml:20: *name: references are not supported']],
  ['an unknown tag', 'title: Another step', 'title: !name x', ['good.yaml:20: Unresolved tag: !name']],
])('%s is reported with file and line', (_, piece, replacement, expected) => {
  expect(problemsWith(piece, replacement)).toEqual(expected)
})

test('a repeated module_number is reported with both lines', () => {
  const second = `  - module_number: 1
    title: B
    summary: B
    steps: [{ step_id: b, title: B, body: B }]
`
  expect(problemsOf({ good: good + second })).toEqual(['good.yaml:22: module_number 1 is already used in line 4'])
})

test('an empty file, a list and a string are not a path', () => {
  for (const text of ['', '# nothing\n', '- a\n', 'a\n'])
    expect(problemsOf({ good: text })).toEqual(['good.yaml:1: the file: must be object'])
})

test('the file name must be a valid path name', () => {
  expect(problemsOf({ 'Not good': good })).toEqual([
    'Not good.yaml:1: the file’s name is the path’s: it must be lower-case words and digits, joined by hyphens, at most 100 characters',
  ])
})

test('all problems of all files are reported together, by file and line', () => {
  const worse = good.replace('summary: About it', 'sumary: About it').replace('reward: 5', 'reward: five')
  expect(problemsOf({ bad: 'title: [\n', good, worse })).toEqual([
    'bad.yaml:2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    'worse.yaml:1: the file: `summary` is missing',
    'worse.yaml:2: the file: `sumary` is not a field',
    'worse.yaml:12: step_id first-step is already used in good.yaml:12',
    'worse.yaml:14: modules[0].steps[0].reward: must be integer',
    'worse.yaml:19: step_id second-step is already used in good.yaml:19',
  ])
})

test('a missing or empty folder, a folder named like a path, and a wrong extension are refused', async () => {
  const absent = join(await folderWith({}), 'absent')
  const problems = async (folder: string) => loadCourse(folder).catch((error: ContentError) => error.problems)
  expect(await problems(absent)).toEqual([`${absent}: the folder cannot be read (ENOENT)`])
  const empty = await folderWith({ 'notes.txt': 'nothing' })
  expect(await problems(empty)).toEqual([`${empty}: there is no learning path (<path>.yaml) in it`])
  const folder_in_place = await folderWith({ 'good.yaml': good })
  await mkdir(join(folder_in_place, 'other.yaml'))
  const in_place = join(folder_in_place, 'other.yaml')
  expect(await problems(folder_in_place)).toEqual([`${in_place}:1: the file cannot be read (EISDIR)`])
  const misnamed = await folderWith({ 'good.yaml': good, 'other.yml': good })
  expect(await problems(misnamed)).toEqual([`${join(misnamed, 'other.yml')}:1: the ending of a learning path is .yaml`])
})

const bad_folder = await folderWith({ 'bad.yaml': good.replace('reward: 5', 'reward: five') })
const refusal = await startTestService({ LEARNING_DIR: bad_folder }).then(
  () => 'started',
  (error: Error) => error.message,
)

test('D-77 the service does not start with invalid content, and reports its place', () => {
  const file = join(bad_folder, 'bad.yaml')
  expect(refusal).toBe(`The learning content has problems:\n  ${file}:14: modules[0].steps[0].reward: must be integer`)
})

test('the included content: enough paths, modules and steps, every text in paragraphs', async () => {
  const paths = [...(await loadCourse(join(package_root, 'content/learning'))).values()]
  const modules = paths.flatMap((path) => path.modules)
  const steps = modules.flatMap((module) => module.steps)
  expect(paths.length).toBeGreaterThanOrEqual(2)
  expect(modules.length).toBeGreaterThanOrEqual(8)
  for (const path of paths)
    expect(path.modules.map(({ module_number }) => module_number)).toEqual(path.modules.map((_, at) => at + 1))
  for (const module of modules) {
    expect([module.title, module.steps.length >= 3 && module.steps.length <= 6]).toEqual([module.title, true])
    expect([module.title, module.sources.length > 0]).toEqual([module.title, true])
  }
  expect(new Set(steps.map(({ step_id }) => step_id)).size).toBe(steps.length)
  for (const { step_id, body, reward } of steps) {
    const paragraphs = body.trim().split(/\n\s*\n/).length
    expect([step_id, paragraphs >= 2 && paragraphs <= 5]).toEqual([step_id, true])
    expect([step_id, reward !== undefined && reward <= 10]).toEqual([step_id, true])
  }
})
