import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { Type, type Static } from 'typebox'
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { decisions } from '../../contract/decisions.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { isStorable } from '../platform/text.ts'

const { name_max } = decisions.learning_content
const { cooldown_days } = decisions.module_resets

const nonBlank = (length_max: number) =>
  Type.String({ minLength: 1, maxLength: length_max, pattern: '\\S', description: 'text that is not blank' })
const slug_pattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
const slug_description = 'lower-case words and digits, joined by hyphens'
const slug = Type.String({ maxLength: name_max, pattern: slug_pattern, description: slug_description })
const strict = { additionalProperties: false }

const step_schema = Type.Object(
  {
    step_id: slug,
    title: nonBlank(120),
    /** Points paid for the first completion; none if absent. */
    reward: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    body: nonBlank(20_000),
  },
  strict,
)

const source_schema = Type.Object(
  { title: nonBlank(200), url: Type.String({ pattern: '^https://[^\\s/]+\\S*$', description: 'an https address' }) },
  strict,
)

const module_schema = Type.Object(
  {
    module_number: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    title: nonBlank(120),
    summary: nonBlank(500),
    cooldown_days: Type.Integer({ minimum: 0, maximum: 3650, default: cooldown_days }),
    sources: Type.Array(source_schema, { default: [] }),
    steps: Type.Array(step_schema, { minItems: 1 }),
  },
  { ...strict, required: ['module_number', 'title', 'summary', 'steps'] },
)

const path_schema = Type.Object(
  { title: nonBlank(120), summary: nonBlank(500), modules: Type.Array(module_schema, { minItems: 1 }) },
  strict,
)

export type LearningModule = Static<typeof module_schema>

/** A learning path. Its modules are in the order of their numbers, which are unique within the path. */
export interface LearningPath extends Static<typeof path_schema> {
  path: string
}

/** The learning paths by name. */
export type Course = ReadonlyMap<string, LearningPath>

/** All problems of the content, each as `file:line: message`. */
export class ContentError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The learning content has problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ContentError'
    this.problems = problems
  }
}

/** A content file; `path` is its name without the extension, which is the name of its learning path. */
export interface ContentFile {
  file: string
  path: string
  text: string
}

// Compiling the meta-schema would add 70 ms to each start.
const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true, validateSchema: false })
const validate = ajv.compile<Static<typeof path_schema>>(path_schema)

/**
 * Parses the content files (D-77). Throws a `ContentError` with every problem of every file: invalid YAML, missing,
 * unknown or invalid fields, a repeated module_number in a path, a repeated step_id in any file.
 */
export function parseCourse(files: ContentFile[]): Course {
  const parsed = files.map(parseFile)
  const repeated = repeatedStepIds(parsed)
  const problems = parsed.flatMap(({ file, problems }, at) =>
    [...problems, ...(repeated[at] ?? [])]
      .sort((one, other) => one.line - other.line)
      .map(({ line, message }) => `${file}:${line}: ${message}`),
  )
  if (problems.length > 0) throw new ContentError(problems)
  return new Map(parsed.map(({ path, content }) => [path, { ...(content as Static<typeof path_schema>), path }]))
}

interface ContentProblem {
  line: number
  message: string
}

/** The value of a unique key and its line. */
interface NamedValue {
  name: string | number
  line: number
}

interface ParsedFile {
  file: string
  path: string
  content: unknown
  problems: ContentProblem[]
  step_ids: NamedValue[]
}

function parseFile({ file, path, text }: ContentFile): ParsedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  const unreadable = [...yamlProblems(document, lineAt), ...nameProblems(path)]
  if (unreadable.length > 0) return { file, path, content: undefined, problems: unreadable, step_ids: [] }
  const content: unknown = document.toJS()
  const schema_problems = validate(content)
    ? []
    : (validate.errors ?? []).map((error) => schemaProblem(error, document, lineAt))
  const module_numbers = valuesOf(document, lineAt, 'module_number')
  const problems = [...schema_problems, ...repeatedModuleNumbers(module_numbers)]
  if (problems.length === 0)
    (content as LearningPath).modules.sort((one, other) => one.module_number - other.module_number)
  return { file, path, content, problems, step_ids: valuesOf(document, lineAt, 'step_id') }
}

type LineAt = (offset: number) => number

/** YAML errors, texts that PostgreSQL cannot store, and aliases, which are not supported. */
function yamlProblems(document: Document.Parsed, lineAt: LineAt): ContentProblem[] {
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    message: message,
  }))
  visit(document, {
    Scalar(_, { value, range }) {
      if (typeof value === 'string' && !isStorable(value))
        problems.push({ line: lineAt(range?.[0] ?? 0), message: field_errors.unstorable })
    },
    Alias(_, node) {
      problems.push({ line: lineAt(node.range?.[0] ?? 0), message: `*${node.source}: references are not supported` })
    },
  })
  return problems
}

const nameProblems = (path: string): ContentProblem[] =>
  path.length <= name_max && new RegExp(slug_pattern).test(path)
    ? []
    : [
        {
          line: 1,
          message: `the file’s name is the path’s: it must be ${slug_description}, at most ${name_max} characters`,
        },
      ]

/** A schema error with the line of the invalid value, or of the unknown key. */
function schemaProblem(
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
  if (keyword === 'required') return problemAt(found, `\`${String(params.missingProperty)}\` is missing`)
  if (keyword === 'additionalProperties') {
    const unknown = String(params.additionalProperty)
    return problemAt({ ...found, line: keyLine(node, unknown, lineAt) ?? found.line }, `\`${unknown}\` is not a field`)
  }
  if (keyword === 'pattern') return problemAt(found, `must be ${String(parentSchema?.description)}`)
  return problemAt(found, message ?? 'is not valid')
}

const problemAt = ({ place, line }: { place: string; line: number }, message: string): ContentProblem => ({
  line,
  message: `${place}: ${message}`,
})

function keyLine(node: unknown, name: string, lineAt: LineAt) {
  const key = isMap(node)
    ? node.items.map((pair) => pair.key).find((each) => isScalar(each) && String(each.value) === name)
    : undefined
  return isScalar(key) && key.range ? lineAt(key.range[0]) : undefined
}

/** All values of a key of this name in document order, at any depth. */
function valuesOf(document: Document, lineAt: LineAt, key: 'module_number' | 'step_id'): NamedValue[] {
  const values: NamedValue[] = []
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || pair.key.value !== key || !isScalar(pair.value)) return
      const { value: name, range } = pair.value
      if (typeof name === 'string' || typeof name === 'number') values.push({ name, line: lineAt(range?.[0] ?? 0) })
    },
  })
  return values
}

function repeatedModuleNumbers(numbers: NamedValue[]): ContentProblem[] {
  const first_lines = new Map<string | number, number>()
  return numbers.flatMap(({ name, line }) => {
    const earlier = first_lines.get(name)
    if (earlier === undefined) first_lines.set(name, line)
    return earlier === undefined ? [] : [{ line, message: `module_number ${name} is already used in line ${earlier}` }]
  })
}

/** Step ids are unique across all files. Returns for each file the ids that occurred before. */
function repeatedStepIds(files: ParsedFile[]): ContentProblem[][] {
  const first_uses = new Map<string | number, string>()
  return files.map(({ file, step_ids }) =>
    step_ids.flatMap(({ name, line }) => {
      const earlier = first_uses.get(name)
      if (earlier === undefined) first_uses.set(name, `${file}:${line}`)
      return earlier === undefined ? [] : [{ line, message: `step_id ${name} is already used in ${earlier}` }]
    }),
  )
}
