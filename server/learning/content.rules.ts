import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { Type, type Static } from 'typebox'
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { decisions } from '../../contract/decisions.ts'
import { isStorable, unstorable_error } from '../platform/text.ts'

const { name_max } = decisions['D-77'].value
const { cooldown_days } = decisions['D-78'].value

const written = (length_max: number) =>
  Type.String({ minLength: 1, maxLength: length_max, pattern: '\\S', description: 'text that is not blank' })
const slug_pattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
const slug_words = 'lower-case words and digits, joined by hyphens'
const slug = Type.String({ maxLength: name_max, pattern: slug_pattern, description: slug_words })
const fixed = { additionalProperties: false }

const step_schema = Type.Object(
  {
    step_id: slug,
    title: written(120),
    /** What the first completion pays; a step without it pays nothing. */
    reward: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    body: written(20_000),
  },
  fixed,
)

const source_schema = Type.Object(
  { title: written(200), url: Type.String({ pattern: '^https://[^\\s/]+\\S*$', description: 'an https address' }) },
  fixed,
)

const module_schema = Type.Object(
  {
    module_number: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    title: written(120),
    summary: written(500),
    cooldown_days: Type.Integer({ minimum: 0, maximum: 3650, default: cooldown_days }),
    sources: Type.Array(source_schema, { default: [] }),
    steps: Type.Array(step_schema, { minItems: 1 }),
  },
  { ...fixed, required: ['module_number', 'title', 'summary', 'steps'] },
)

const path_schema = Type.Object(
  { title: written(120), summary: written(500), modules: Type.Array(module_schema, { minItems: 1 }) },
  fixed,
)

export type LearningModule = Static<typeof module_schema>

/** A way through the content. Its modules stand in the order of their numbers, which are its own. */
export interface LearningPath extends Static<typeof path_schema> {
  path: string
}

/** Every path by its name. */
export type Course = ReadonlyMap<string, LearningPath>

/** Everything that is wrong with the content, one line each: file, line, fault. */
export class ContentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The learning content has problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ContentError'
    this.problems = problems
  }
}

/** A file of the content; `path` is its name without the ending, and the name of the learning path in it. */
export interface ContentFile {
  file: string
  path: string
  text: string
}

const validate = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true }).compile<Static<typeof path_schema>>(
  path_schema,
)

/**
 * Reads the content from the text of its files (D-77). Throws a `ContentError` with every problem of every file: YAML
 * that cannot be read, fields that are missing, unknown or not as they should be, a module_number used twice in a path,
 * a step_id used twice anywhere.
 */
export function readCourse(files: ContentFile[]): Course {
  const opened = files.map(openFile)
  const repeated = repeatedStepIds(opened)
  const problems = opened.flatMap(({ file, faults }, at) =>
    [...faults, ...(repeated[at] ?? [])]
      .sort((one, other) => one.line - other.line)
      .map(({ line, fault }) => `${file}:${line}: ${fault}`),
  )
  if (problems.length > 0) throw new ContentError(problems)
  return new Map(opened.map(({ path, content }) => [path, { ...(content as Static<typeof path_schema>), path }]))
}

interface Fault {
  line: number
  fault: string
}

/** Where a name that must be unique stands. */
interface Naming {
  name: string | number
  line: number
}

interface OpenedFile {
  file: string
  path: string
  content: unknown
  faults: Fault[]
  step_ids: Naming[]
}

function openFile({ file, path, text }: ContentFile): OpenedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  const unreadable = [...unreadableParts(document, lineAt), ...badName(path)]
  if (unreadable.length > 0) return { file, path, content: undefined, faults: unreadable, step_ids: [] }
  const content: unknown = document.toJS()
  const schema_faults = validate(content)
    ? []
    : (validate.errors ?? []).map((error) => faultOf(error, document, lineAt))
  const module_numbers = namingsIn(document, lineAt, 'module_number')
  const faults = [...schema_faults, ...repeatedNumbers(module_numbers)]
  if (faults.length === 0)
    (content as LearningPath).modules.sort((one, other) => one.module_number - other.module_number)
  return { file, path, content, faults, step_ids: namingsIn(document, lineAt, 'step_id') }
}

type LineAt = (offset: number) => number

/**
 * What YAML itself objects to, texts that the database could not keep, and references within a file: a reader should find
 * every text where it is used.
 */
function unreadableParts(document: Document.Parsed, lineAt: LineAt): Fault[] {
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    fault: message,
  }))
  visit(document, {
    Scalar(_, { value, range }) {
      if (typeof value === 'string' && !isStorable(value))
        faults.push({ line: lineAt(range?.[0] ?? 0), fault: unstorable_error })
    },
    Alias(_, node) {
      faults.push({ line: lineAt(node.range?.[0] ?? 0), fault: `*${node.source}: references are not supported` })
    },
  })
  return faults
}

const badName = (path: string): Fault[] =>
  path.length <= name_max && new RegExp(slug_pattern).test(path)
    ? []
    : [
        {
          line: 1,
          fault: `the file’s name is the path’s: it must be ${slug_words}, at most ${name_max} characters`,
        },
      ]

/** A fault of the schema check with the line of the value it speaks of, or of the key where that is what is wrong. */
function faultOf(
  { instancePath, keyword, params, message, parentSchema }: ErrorObject,
  document: Document,
  lineAt: LineAt,
) {
  const keys = instancePath.split('/').slice(1)
  const place = keys
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')
  const node = keys.length === 0 ? document.contents : document.getIn(keys, true)
  const found = { place: place || 'the file', line: lineAt(isNode(node) ? (node.range?.[0] ?? 0) : 0) }
  if (keyword === 'required') return inWords(found, `\`${String(params.missingProperty)}\` is missing`)
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty)
    return inWords({ ...found, line: keyLine(node, unknown, lineAt) ?? found.line }, `\`${unknown}\` is not a field`)
  }
  if (keyword === 'pattern') return inWords(found, `must be ${String(parentSchema?.description)}`)
  return inWords(found, message ?? 'is not valid')
}

const inWords = ({ place, line }: { place: string; line: number }, fault: string): Fault => ({
  line,
  fault: `${place}: ${fault}`,
})

function keyLine(node: unknown, name: string, lineAt: LineAt) {
  const key = isMap(node)
    ? node.items.map((pair) => pair.key).find((each) => isScalar(each) && String(each.value) === name)
    : undefined
  return isScalar(key) && key.range ? lineAt(key.range[0]) : undefined
}

/** Every value of a key of this name, in the order of the file, whatever else is wrong around it. */
function namingsIn(document: Document, lineAt: LineAt, key: 'module_number' | 'step_id'): Naming[] {
  const namings: Naming[] = []
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || pair.key.value !== key || !isScalar(pair.value)) return
      const { value: name, range } = pair.value
      if (typeof name === 'string' || typeof name === 'number') namings.push({ name, line: lineAt(range?.[0] ?? 0) })
    },
  })
  return namings
}

function repeatedNumbers(numbers: Naming[]): Fault[] {
  const first_lines = new Map<string | number, number>()
  return numbers.flatMap(({ name, line }) => {
    const earlier = first_lines.get(name)
    if (earlier === undefined) first_lines.set(name, line)
    return earlier === undefined ? [] : [{ line, fault: `module_number ${name} stands in line ${earlier} already` }]
  })
}

/** Step ids are unique in the whole content: for each file, its uses of one that came before. */
function repeatedStepIds(files: OpenedFile[]): Fault[][] {
  const first_uses = new Map<string | number, string>()
  return files.map(({ file, step_ids }) =>
    step_ids.flatMap(({ name, line }) => {
      const earlier = first_uses.get(name)
      if (earlier === undefined) first_uses.set(name, `${file}:${line}`)
      return earlier === undefined ? [] : [{ line, fault: `step_id ${name} is used in ${earlier} already` }]
    }),
  )
}
