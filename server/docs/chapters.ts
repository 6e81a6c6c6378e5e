import { html, prose, type Html } from '../http/html.ts'
import type { OpenApiDocument } from '../http/openapi.ts'
import type { WebhookOperation } from '../http/openapi-webhooks.ts'
import { exampleOf } from '../http/schema-example.ts'
import { codeBlock } from './code.ts'
import { operationSection } from './operation.ts'
import type { LocatedOperation } from './samples.ts'
import { bodyTable } from './schema-table.ts'

/** The operations of one tag. */
export interface Chapter {
  name: string
  path: string
  operations: LocatedOperation[]
}

export const chapterPath = (tag: string) => `/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`

/** The chapters of the reference, in the order of the document. */
export function chaptersOf({ tags, paths, servers }: OpenApiDocument): Chapter[] {
  const base_url = servers?.[0]?.url ?? ''
  const located = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation, base_url })),
  )
  return tags.map(({ name }) => ({
    name,
    path: chapterPath(name),
    operations: located.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

export const chapterContent = ({ name, operations }: Chapter): Html =>
  html`<h1>${name}</h1>
    ${operations.map(operationSection)}`

export const webhookAnchor = (type: string) => type.replace('.', '-')

/** The requests that the service makes to addresses of apps. */
export const webhookContent = ({ webhooks }: OpenApiDocument): Html =>
  html`<h1>Webhook events</h1>
    <p class="lead">${prose(Object.values(webhooks)[0]?.post.description ?? '')}</p>
    <p>How to receive and verify them: <a href="/docs/guides/webhooks">the guide</a>.</p>
    ${Object.entries(webhooks).map(([type, { post }]) => webhookSection(type, post))}`

function webhookSection(type: string, { summary, requestBody }: WebhookOperation): Html {
  const { schema } = requestBody.content['application/json']
  return html`<article id="${webhookAnchor(type)}">
    <h2>
      <a href="#${webhookAnchor(type)}"><code>${type}</code></a>
    </h2>
    <p>${prose(summary)}</p>
    <div class="columns">
      <div>${bodyTable(schema, 'response')}</div>
      <div class="samples">${codeBlock(JSON.stringify(exampleOf(schema), null, 2), 'json')}</div>
    </div>
  </article> `
}
