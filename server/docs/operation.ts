import { html, prose, wrapAfter, type Html } from '../http/html.ts'
import type { Operation } from '../http/openapi.ts'
import type { Parameter } from '../http/openapi-parameters.ts'
import type { Media, Response } from '../http/openapi-responses.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import { exampleOf } from '../http/schema-example.ts'
import { codeBlock, codeTabs } from './code.ts'
import { bodyTable, decisionMark, parameterTable } from './schema-table.ts'
import { exampleOfMedia, sampleRequest, samplesOf, type LocatedOperation } from './samples.ts'

export const refusal_page = '/docs/reference/refusals'

/** The section of one operation: caller, request, responses, failures, samples and a form that sends the call. */
export function operationSection(place: LocatedOperation): Html {
  const { method, path, operation } = place
  const { operationId, summary, description, parameters = [], responses } = operation
  return html`<article id="${operationId}">
    <h2><a href="#${operationId}">${prose(summary)}</a>${decisionMark(operation['x-decision'])}</h2>
    <p class="call">${methodMark(method)} <code class="path">${wrapAfter('/', path)}</code></p>
    ${facts(operation)} ${description !== undefined && html`<p>${prose(description)}</p>`}
    <div class="columns">
      <div>
        ${(['path', 'query', 'header'] as const).map((kind) => parametersOf(kind, parameters))}
        ${requestBody(operation)} ${Object.entries(responses).map(([status, response]) => success(status, response))}
        ${failureTable(responses)}
      </div>
      <div class="samples">
        <h3>Call</h3>
        ${codeTabs(operationId, samplesOf(place))} ${tryForm(place)}
        ${Object.entries(responses).map(([status, response]) => successSample(status, response))}
      </div>
    </div>
  </article> `
}

const methodMark = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`

const title = { path: 'Path', query: 'Query', header: 'Headers' } as const

function parametersOf(kind: Parameter['in'], all: readonly Parameter[]) {
  const parameters = all.filter((parameter) => parameter.in === kind)
  return (
    parameters.length > 0 &&
    html`<h3>${title[kind]}</h3>
      ${parameterTable(parameters)}`
  )
}

function facts(operation: Operation): Html {
  const { 'x-caller': caller, 'x-secret-permission': permission, security } = operation
  const { 'x-rate-limit': limit, 'x-origin': origin } = operation
  const scope = security.flatMap((entry) => entry.oauth2 ?? [])[0]
  const callers = {
    anyone: html`Anybody`,
    user: html`A signed-in person`,
    admin: html`An admin`,
    client: html`An app itself, with its <code>client_id</code> and <code>client_secret</code>`,
    app: html`An app with <a href="/docs/reference#scopes"><code>${scope}</code></a>`,
  }
  const setting = limit?.setting
  return html`<ul class="facts">
    <li>${callers[caller]}</li>
    ${
      permission &&
      html`<li>
        Permission of the secret: <a href="/docs/guides/build-servers#permissions"><code>${permission}</code></a>
      </li>`
    }
    ${
      limit &&
      html`<li>
        ${limit.requests} ${limit.requests === 1 ? 'call' : 'calls'} per ${duration(limit.seconds)}, by
        ${limit.per}${setting !== undefined && html` (<code>${setting}</code>)`}
      </li>`
    }${origin && html`<li class="extension">Extension</li>`}
  </ul>`
}

function duration(seconds: number) {
  if (seconds % 3600 === 0) return seconds === 3600 ? 'hour' : `${seconds / 3600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? 'minute' : `${seconds / 60} minutes`
  return seconds === 1 ? 'second' : `${seconds} seconds`
}

function requestBody({ requestBody: body }: Operation) {
  const { 'application/json': json, 'application/x-www-form-urlencoded': form } = body?.content ?? {}
  const schema = (json ?? form)?.schema
  if (!schema) return undefined
  return html`<h3>Body</h3>
    ${form && html`<p class="quiet">JSON, or a form (<code>application/x-www-form-urlencoded</code>).</p>`}
    ${bodyTable(schema, 'request')}`
}

const isSuccess = (status: string) => status.startsWith('2')

const successTitle = (status: string) => html`Response <span class="status ok">${status}</span>`

function success(status: string, { headers = {}, content = {}, 'x-decision': decision }: Response) {
  if (!isSuccess(status)) return undefined
  const names = Object.keys(headers)
  return html`<h3>${successTitle(status)}${decisionMark(decision)}</h3>
    ${Object.values(content).map(mediaTables)}
    ${names.length > 0 && html`<p class="quiet">Headers: ${names.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}</p>`}`
}

function mediaTables({ schema, 'x-events': events }: Media): Html {
  if (!events) return bodyTable(schema, 'response')
  return html`<p class="quiet">A stream of events (<code>text/event-stream</code>), each with its data as JSON.</p>
    ${Object.entries(events).map(
      ([name, data]) =>
        html`<h3>Event <code>${name}</code></h3>
          ${bodyTable(data, 'response')}`,
    )}`
}

function failureTable(responses: Operation['responses']): Html {
  const failures = Object.entries(responses)
    .filter(([status]) => !isSuccess(status))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content['application/json']?.examples ?? {}).map(([code, { value }]) => ({ status, code, value })),
    )
  const own = failures.filter(({ code }) => code !== 'framework')
  const others = failures.filter(({ code }) => code === 'framework').map(({ status }) => status)
  return html`<h3>Refusals</h3>
    ${
      own.length > 0 &&
      html`<ul class="fields">
        ${own.map(({ status, value }) => failureRow(status, value))}
      </ul>`
    }
    <p class="quiet">And, like <a href="${refusal_page}#framework">every call</a>, ${others.join(', ')}.</p>`
}

function failureRow(status: string, value: unknown) {
  const { error = '', message, error_description } = value as Record<string, string | undefined>
  const sentence = message ?? error_description ?? ''
  return html`<li>
    <p>
      <span class="status">${status}</span> <a href="${refusal_page}#${error}"><code>${error}</code></a>
    </p>
    <p>${prose(sentence)}</p>
  </li> `
}

function successSample(status: string, { content = {} }: Response) {
  if (!isSuccess(status)) return undefined
  const heading = html`<h3>${successTitle(status)}</h3>`
  const events = Object.entries(content['text/event-stream']?.['x-events'] ?? {})
  if (events.length > 0) return html`${heading}${codeBlock(events.map(eventText).join('\n'), 'text')}`
  const [media] = Object.values(content)
  const value = media ? exampleOfMedia(media) : {}
  if (typeof value === 'string') return html`${heading}${codeBlock(value, 'text')}`
  return html`${heading}${codeBlock(JSON.stringify(value, null, 2), 'json')}`
}

const eventText = ([name, data]: [string, JsonSchema]) => `event: ${name}\ndata: ${JSON.stringify(exampleOf(data))}\n`

/** The data for the script's form that sends the call; without the script there is no form. */
function tryForm(place: LocatedOperation): Html {
  const { method, path, operation } = place
  const { parameters = [] } = operation
  const { credential, json, form, reads } = sampleRequest(place)
  const call = {
    method: method.toUpperCase(),
    path,
    caller: operation['x-caller'],
    credential,
    parameters: parameters.map(({ name, in: kind, required, schema }) => ({
      name,
      in: kind,
      required,
      example: required ? String(exampleOf(schema, kind === 'header' ? name.toLowerCase() : name)) : '',
    })),
    json,
    form,
    reads,
  }
  return html`<div class="try" data-call="${JSON.stringify(call)}"></div>`
}
