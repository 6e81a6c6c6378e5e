import { operation_examples } from '../../contract/examples.ts'
import { exampleOf } from './schema-example.ts'
import { escapeHtml, Html, html, prose, wrapAfter } from './html.ts'
import type { Operation, Parameter } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Media, Response } from './openapi-responses.ts'
import { bodyTable, decisionMark, parameterTable } from './reference-schema.ts'

/** An operation with its method and path. */
export interface LocatedOperation {
  method: string
  path: string
  operation: Operation
  base_url: string
}

/** The section of one operation: caller, request, responses, failures and samples. */
export function operationSection(place: LocatedOperation): Html {
  const { method, path, operation } = place
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const schema = requestBody?.content['application/json']?.schema
  return html`<article id="${operationId}">
    <h3>
      <a href="#${operationId}">${methodMark(method)} <span class="path">${wrapAfter('/', path)}</span></a>
    </h3>
    <p class="summary">${prose(summary)}${decisionMark(operation['x-decision'])}</p>
    ${facts(operation)} ${description !== undefined && html`<p>${prose(description)}</p>`}
    <div class="columns">
      <div>
        ${(['path', 'query', 'header'] as const).map((kind) => parametersOf(kind, parameters))}
        ${
          schema &&
          html`<h4>Body</h4>
            ${encodings(operation)}${bodyTable(schema, 'request')}`
        }
        ${Object.entries(responses).map(([status, response]) => success(status, response))} ${failureTable(responses)}
      </div>
      <div class="samples">
        <h4>Call</h4>
        ${sample(curl(place), 'shell')}
        ${Object.entries(responses).map(([status, response]) => successSample(place, status, response))}
      </div>
    </div>
  </article> `
}

export const methodMark = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`

const title = { path: 'Path', query: 'Query', header: 'Headers' } as const

function parametersOf(kind: Parameter['in'], all: readonly Parameter[]) {
  const parameters = all.filter((parameter) => parameter.in === kind)
  return (
    parameters.length > 0 &&
    html`<h4>${title[kind]}</h4>
      ${parameterTable(parameters)}`
  )
}

function facts(operation: Operation): Html {
  const { 'x-caller': caller, 'x-rate-limit': limit, 'x-origin': origin, security } = operation
  const scope = security.flatMap((entry) => entry.oauth2 ?? [])[0]
  const callers = {
    anyone: html`Anybody`,
    user: html`A signed-in user`,
    admin: html`An admin`,
    client: html`An app itself, with its <code>client_id</code> and <code>client_secret</code>`,
    app: html`An app with <a href="#scopes"><code>${scope}</code></a>`,
  }
  const setting = limit?.setting
  return html`<ul class="facts">
    <li>${callers[caller]}</li>
    ${
      limit &&
      html`<li>
        ${limit.requests} ${limit.requests === 1 ? 'call' : 'calls'} per ${duration(limit.seconds)}, by
        ${limit.per}${setting !== undefined && html` (<code>${setting}</code>)`}${decisionMark(limit['x-decision'])}
      </li>`
    }${origin && html`<li class="extension">Extension: not in the specification</li>`}
  </ul>`
}

function duration(seconds: number) {
  if (seconds % 3600 === 0) return seconds === 3600 ? 'hour' : `${seconds / 3600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`
  return seconds === 1 ? 'second' : `${seconds} seconds`
}

const isForm = ({ requestBody }: Operation) => 'application/x-www-form-urlencoded' in (requestBody?.content ?? {})

const encodings = (operation: Operation) =>
  isForm(operation) && html`<p class="quiet">JSON, or a form (<code>application/x-www-form-urlencoded</code>).</p>`

const isSuccess = (status: string) => status.startsWith('2')

function success(status: string, { headers = {}, content, 'x-decision': decision }: Response) {
  if (!isSuccess(status)) return undefined
  const names = Object.keys(headers)
  return html`<h4>Response <span class="status ok">${status}</span>${decisionMark(decision)}</h4>
    ${Object.values(content).map(mediaTables)}
    ${names.length > 0 && html`<p class="quiet">Headers: ${names.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}</p>`}`
}

function mediaTables({ schema, 'x-events': events }: Media): Html {
  if (!events) return bodyTable(schema, 'response')
  return html`<p class="quiet">A stream of events (<code>text/event-stream</code>), each with its data as JSON.</p>
    ${Object.entries(events).map(
      ([name, data]) =>
        html`<h4>Event <code>${name}</code></h4>
          ${bodyTable(data, 'response')}`,
    )}`
}

function failureTable(responses: Operation['responses']): Html {
  const failures = Object.entries(responses)
    .filter(([status]) => !isSuccess(status))
    .flatMap(([status, { content }]) =>
      Object.entries(content['application/json']?.examples ?? {}).map(([code, { value }]) => ({ status, code, value })),
    )
  const own = failures.filter(({ code }) => code !== 'framework')
  const others = failures.filter(({ code }) => code === 'framework').map(({ status }) => status)
  return html`<h4>Failures</h4>
    ${
      own.length > 0 &&
      html`<div class="scroll">
        <table class="failures">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Code</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${own.map(({ status, value }) => failureRow(status, value))}
          </tbody>
        </table>
      </div>`
    }
    <p class="quiet">And, like <a href="#failures">every call</a>, ${others.join(', ')}.</p>`
}

function failureRow(status: string, value: unknown) {
  const { error = '', message, error_description } = value as Record<string, string | undefined>
  const sentence = message ?? error_description ?? ''
  return html`<tr>
    <td><span class="status">${status}</span></td>
    <td><code>${wrapAfter('_', error)}</code></td>
    <td>${prose(sentence)}</td>
  </tr> `
}

const examplesOf = ({ method, path }: LocatedOperation) => operation_examples[`${method.toUpperCase()} ${path}`] ?? {}

function successSample(place: LocatedOperation, status: string, { content }: Response) {
  if (!isSuccess(status)) return undefined
  const heading = html`<h4>Response <span class="status ok">${status}</span></h4>`
  const events = Object.entries(content['text/event-stream']?.['x-events'] ?? {})
  if (events.length > 0) return html`${heading}${sample(events.map(eventText).join('\n'), 'json')}`
  const value = examplesOf(place).response ?? exampleOf(content['application/json']?.schema ?? {})
  return html`${heading}${sample(JSON.stringify(value, null, 2), 'json')}`
}

const eventText = ([name, data]: [string, JsonSchema]) => `event: ${name}\ndata: ${JSON.stringify(exampleOf(data))}\n`

/** A call that can be pasted into a shell. */
function curl(place: LocatedOperation): string {
  const { method, path, operation, base_url } = place
  const { parameters = [], requestBody, security } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(exampleParameter(parameters, name)))
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const words = query.map(({ name, schema }): [string, string] => [name, String(exampleOf(schema, name))])
  const url = base_url + filled + (words.length > 0 ? `?${new URLSearchParams(words).toString()}` : '')
  const header = parameters.find((parameter) => parameter.in === 'header')
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${/[?&]/.test(url) ? quoted(url) : url}`]
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"')
  if (header)
    lines.push(`-H ${quoted(`${header.name}: ${String(exampleOf(header.schema, header.name.toLowerCase()))}`)}`)
  if (requestBody) lines.push(...bodyWords(place, requestBody.content['application/json']?.schema ?? {}))
  return lines.join(' \\\n  ')
}

function bodyWords(place: LocatedOperation, schema: JsonSchema): string[] {
  const body = examplesOf(place).body ?? exampleOf(schema)
  if (isForm(place.operation))
    return Object.entries(body as object).map(
      ([name, value]) => `--data-urlencode ${quoted(`${name}=${String(value)}`)}`,
    )
  const compact = JSON.stringify(body)
  return [
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(compact.length > 60 ? JSON.stringify(body, null, 2) : compact)}`,
  ]
}

function exampleParameter(parameters: readonly Parameter[], name: string) {
  const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name)
  return parameter ? exampleOf(parameter.schema, name) : name
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A block of code; JSON is highlighted. */
export function sample(code: string, language: 'json' | 'shell'): Html {
  const text = language === 'json' ? colourJson(code) : html`${code}`
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}

function colourJson(json: string): Html {
  const coloured = escapeHtml(json).replace(
    /(&quot;(?:(?!&quot;).)*&quot;)(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g,
    (_, text: string | undefined, colon: string | undefined, word: string | undefined) => {
      if (word !== undefined) return `<b class="v">${word}</b>`
      return colon === undefined ? `<b class="s">${text}</b>` : `<b class="k">${text}</b>${colon}`
    },
  )
  return new Html(coloured)
}
