import { exampleOf } from '../http/schema-example.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import type { Operation } from '../http/openapi.ts'
import type { Parameter } from '../http/openapi-parameters.ts'
import type { Sample } from './code.ts'
import { javascriptText, literal, python_words, pythonText, shellText } from './literals.ts'

/** An operation with its method and path. */
export interface LocatedOperation {
  method: string
  path: string
  operation: Operation
  base_url: string
}

/** The request that the samples of an operation send. */
export interface SampleRequest {
  method: string
  url: string
  credential: 'none' | 'token' | 'client'
  headers: [name: string, value: string][]
  json?: unknown
  form?: Record<string, string>
  reads: 'json' | 'text' | 'events'
}

/** The examples of the document in one request: required parameters, an idempotency key, the body. */
export function sampleRequest({ method, path, operation, base_url }: LocatedOperation): SampleRequest {
  const { parameters = [], security, responses } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => pathExample(parameters, name))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const words = query.map((parameter): [string, string] => [parameter.name, String(parameterExample(parameter))])
  const [media] = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.keys(content) : [],
  )
  return {
    method: method.toUpperCase(),
    url: base_url + filled + (words.length > 0 ? `?${new URLSearchParams(words).toString()}` : ''),
    credential: credentialOf(security),
    headers: parameters
      .filter((parameter) => parameter.in === 'header' && /^idempotency-key$/i.test(parameter.name))
      .map((parameter) => [parameter.name, String(parameterExample(parameter))]),
    ...bodyOf(operation),
    reads:
      media === 'text/event-stream'
        ? 'events'
        : media === 'application/json' && !path.endsWith('.csv')
          ? 'json'
          : 'text',
  }
}

function credentialOf(security: Operation['security']): SampleRequest['credential'] {
  // If credentials may be in the body, the sample puts them there.
  if (security.some((scheme) => Object.keys(scheme).length === 0)) return 'none'
  const [first] = security.flatMap(Object.keys)
  return first === undefined ? 'none' : first === 'client' ? 'client' : 'token'
}

const parameterExample = ({ name, schema, in: place }: Parameter) =>
  exampleOf(schema, place === 'header' ? name.toLowerCase() : name)

function pathExample(parameters: readonly Parameter[], name: string) {
  const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name)
  return encodeURIComponent(String(parameter ? parameterExample(parameter) : name))
}

function bodyOf({ requestBody }: Operation): Pick<SampleRequest, 'json' | 'form'> {
  if (!requestBody) return {}
  const { content } = requestBody
  const media = content['application/json'] ?? Object.values(content)[0]
  const example = media ? exampleOfMedia(media) : {}
  if (!('application/x-www-form-urlencoded' in content)) return { json: example }
  const fields = Object.entries(example as object).map(([name, value]): [string, string] => [name, String(value)])
  return { form: Object.fromEntries(fields) }
}

interface ExampledMedia {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

/** The example of a body in the document, or one made from its schema. */
export const exampleOfMedia = ({ schema, example, examples = {} }: ExampledMedia): unknown =>
  example ?? Object.values(examples)[0]?.value ?? exampleOf(schema)

/** The request in each suitable language: a client secret never appears in a browser sample. */
export function samplesOf(place: LocatedOperation): Sample[] {
  const request = sampleRequest(place)
  return [
    { reader: 'curl', language: 'sh', code: curl(request) },
    { reader: 'node', language: 'js', code: javascript(request, 'process.env.TOKEN') },
    { reader: 'python', language: 'python', code: python(request) },
    ...(request.credential === 'client'
      ? []
      : [{ reader: 'browser' as const, language: 'js', code: javascript(request, "sessionStorage.getItem('token')") }]),
  ]
}

function curl({ method, url, credential, headers, json, form, reads }: SampleRequest) {
  const compact = JSON.stringify(json)
  const words = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(reads === 'events' ? ['--no-buffer'] : []),
    /[?&]/.test(url) ? shellText(url) : url,
  ]
  return [
    `curl ${words.join(' ')}`,
    ...(credential === 'token' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(credential === 'client' ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...headers.map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...Object.entries(form ?? {}).map(([name, value]) => `--data-urlencode ${shellText(`${name}=${value}`)}`),
    ...(json === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${shellText(compact.length > 60 ? JSON.stringify(json, null, 2) : compact)}`,
        ]),
  ].join(' \\\n  ')
}

const basic_of_environment = '`Basic ${btoa(`${process.env.CLIENT_ID}:${process.env.CLIENT_SECRET}`)}`'

function javascript({ method, url, credential, headers, json, form, reads }: SampleRequest, token: string) {
  const sent: [string, string][] = [
    ...(credential === 'none'
      ? []
      : [
          ['Authorization', credential === 'token' ? `\`Bearer \${${token}}\`` : basic_of_environment] as [
            string,
            string,
          ],
        ]),
    ...headers.map(([name, value]): [string, string] => [name, javascriptText(value)]),
    ...(json === undefined ? [] : [['Content-Type', "'application/json'"] as [string, string]]),
  ]
  const names = sent.map(([name, value]) => `${/^\w+$/.test(name) ? name : javascriptText(name)}: ${value}`)
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(names.length === 0 ? [] : [`headers: ${braced(names, 60, '  ')}`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${literal(json, 'javascript', '  ')})`]),
    ...(form === undefined ? [] : [`body: new URLSearchParams(${literal(form, 'javascript', '  ')})`]),
  ]
  const call =
    options.length === 0 ? `fetch(${javascriptText(url)})` : `fetch(${javascriptText(url)}, ${braced(options, 0, '')})`
  const ends = {
    json: 'console.log(response.status, await response.json())',
    text: 'console.log(response.status, await response.text())',
    events: 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text)',
  }
  return `const response = await ${call}\n${ends[reads]}`
}

/** An object literal: on one line if it fits. */
function braced(entries: readonly string[], width: number, indent: string) {
  const line = `{ ${entries.join(', ')} }`
  if (line.length <= width) return line
  return `{\n${entries.map((entry) => `${indent}  ${entry},\n`).join('')}${indent}}`
}

function python({ method, url, credential, headers, json, form, reads }: SampleRequest) {
  const sent: [string, string][] = [
    ...(credential === 'token' ? [['Authorization', 'f"Bearer {os.environ[\'TOKEN\']}"'] as [string, string]] : []),
    ...(credential === 'client'
      ? [['Authorization', 'f"Basic {base64.b64encode(secret.encode()).decode()}"'] as [string, string]]
      : []),
    ...headers.map(([name, value]): [string, string] => [name, pythonText(value)]),
    ...(json === undefined ? [] : [['Content-Type', '"application/json"'] as [string, string]]),
  ]
  const modules = [
    ...(credential === 'client' ? ['base64'] : []),
    ...(json !== undefined || reads === 'json' ? ['json'] : []),
    ...(credential === 'none' ? [] : ['os']),
    ...(form === undefined ? [] : ['urllib.parse']),
    'urllib.request',
  ]
  const data =
    json !== undefined
      ? `json.dumps(${literal(json, 'python', '    ')}).encode()`
      : form !== undefined
        ? `urllib.parse.urlencode(${literal(form, 'python', '    ')}).encode()`
        : undefined
  const names = sent.map(([name, value]) => `"${name}": ${value}`)
  const lines = [
    pythonText(url),
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(names.length === 0 ? [] : [`headers=${braced(names, 60, '    ').replaceAll('\n      ', '\n        ')}`]),
    ...(data === undefined ? [] : [`data=${data}`]),
  ]
  return [
    ...modules.map((name) => `import ${name}`),
    '',
    ...(credential === 'client' ? [`secret = f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}"`] : []),
    `request = urllib.request.Request(${lines.length === 1 ? lines[0] : `\n${lines.map((line) => `    ${line},\n`).join('')}`})`,
    'with urllib.request.urlopen(request) as response:',
    ...python_words[reads],
  ].join('\n')
}
