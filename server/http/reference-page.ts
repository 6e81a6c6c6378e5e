import { decisions, type Decision } from '../../contract/decisions.ts'
import { failures } from '../../contract/errors.ts'
import { html, prose, wrapAfter, type Html } from './html.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'
import { error_schemas, headers } from './openapi-responses.ts'
import { methodMark, operationSection, sample, type LocatedOperation } from './reference-operation.ts'
import { decisionMark } from './reference-schema.ts'
import { exampleOf } from './schema-example.ts'

interface TagSection {
  name: string
  anchor: string
  operations: LocatedOperation[]
}

/** The API reference as one static page: no script, one image, one style sheet. */
export function referencePage(document: OpenApiDocument): string {
  const { info, servers } = document
  const base_url = servers?.[0]?.url ?? ''
  const chapters = tagSectionsOf(document, base_url)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="description"
          content="Every call of the Plaza API: who may make it, what it takes, what it answers."
        />
        <title>Plaza API reference</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/reference.css" />
      </head>
      <body>
        <a class="skip" href="#start">Skip to the reference</a>
        <header class="bar">
          <a class="brand" href="/" aria-label="Plaza, first page">
            <img src="/icon.svg" width="24" height="24" alt="" />Plaza
          </a>
          <span class="title">API reference</span>
          <span class="version">${info.version}</span><a class="to-contents" href="#contents">Contents</a>
          <a href="/api/openapi.json">OpenAPI</a>
        </header>
        <div class="page">
          <main>
            ${introduction(document, base_url, chapters)} ${credentials(document)} ${failureFormats()} ${limits()}
            ${chapters.map(tagSection)} ${webhookSection(document)} ${decisionSection()}
          </main>
          ${contents(chapters, Object.keys(document.webhooks))}
        </div>
      </body>
    </html> `.text
}

function tagSectionsOf({ tags, paths }: OpenApiDocument, base_url: string): TagSection[] {
  const located = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation, base_url })),
  )
  return tags.map(({ name }) => ({
    name,
    anchor: `tag-${name.toLowerCase().replaceAll(' ', '-')}`,
    operations: located.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

function introduction({ info }: OpenApiDocument, base_url: string, chapters: readonly TagSection[]): Html {
  return html`<section id="start" class="intro">
    <h1>${info.title}</h1>
    <p class="lead">Accounts, points and OAuth 2.0 for other people’s apps.</p>
    <p>
      The same as data: <a href="/api/openapi.json">the OpenAPI 3.1 document</a>. Bodies are JSON in both directions.
      Unknown fields of a request are ignored, ids are UUIDs, and times are UTC in ISO 8601, such as
      <code>2026-01-31T12:00:00.000Z</code>. Every answer carries an <code>X-Request-Id</code>, which the operator of
      the service finds in its log.
    </p>
    <dl class="address">
      <dt>Base URL</dt>
      <dd><code>${base_url}</code></dd>
    </dl>
    <ul class="chips">
      ${chapters.map(
        ({ name, anchor, operations }) =>
          html`<li>
            <a href="#${anchor}">${name} <span>${operations.length}</span></a>
          </li>`,
      )}
    </ul>
  </section> `
}

function credentials({ components }: OpenApiDocument): Html {
  const scopes = Object.entries(components.securitySchemes.oauth2.flows.authorizationCode.scopes)
  return html`<section id="credentials">
    <h2>Credentials</h2>
    <p>
      Two kinds of token stand in the same header, <code>Authorization: Bearer …</code>, and neither is taken in place
      of the other. The <a href="#login">login</a> answers with a JWT, by which a person acts. An app acts for a person
      by an access token: it sends the person to <code>/oauth/authorize</code> with a PKCE challenge (S256 only), gets a
      code at its redirect URI, and exchanges that at the <a href="#token">token endpoint</a>. An admin has to approve
      an app before anybody can authorize it.
    </p>
    <p>
      A call without a good token is answered with 401 and a <code>WWW-Authenticate</code> header that says where the
      <a href="#protectedResource">metadata</a> are.
    </p>
    <h3 id="scopes">Scopes</h3>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Scope</th>
            <th scope="col">Lets the app</th>
          </tr>
        </thead>
        <tbody>
          ${scopes.map(
            ([scope, grants]) =>
              html`<tr>
                <td><code>${scope}</code></td>
                <td>${grants}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </section> `
}

const formats: readonly { schema: keyof typeof error_schemas; when: string; body: unknown }[] = [
  {
    schema: 'Error',
    when: 'A call that was understood and refused. Branch on `error`; `message` is for people.',
    body: { error: 'insufficient_points', message: failures.insufficient_points.message },
  },
  {
    schema: 'ValidationError',
    when: 'The same with 422: the fields that are missing or not as they should be.',
    body: {
      error: 'validation_failed',
      message: failures.validation_failed.message,
      fields: [{ path: 'amount', message: 'must be >= 1' }],
    },
  },
  {
    schema: 'OAuthError',
    when: 'Whatever goes wrong at the token and revocation endpoints (RFC 6749).',
    body: { error: 'invalid_grant', error_description: failures.invalid_grant.message },
  },
  {
    schema: 'FrameworkError',
    when:
      'Refused before the call reached an endpoint: unknown path 404, wrong method 405, malformed JSON 400, media type ' +
      '415, size 413; and 500 or 503 when something broke or the database is away.',
    body: { errors: { detail: 'Not Found' } },
  },
]

const failureFormats = (): Html =>
  html`<section id="failures">
    <h2>Failures</h2>
    <p>
      401 is about the credential, 403 about what the caller may do, 404 about what is not there or not yours, 409 about
      the present state, 422 about the content of the request, 429 about its frequency.
    </p>
    <div class="formats">
      ${formats.map(
        ({ schema, when, body }) =>
          html`<div>
            <h3>${schema}${decisionMark(error_schemas[schema]['x-decision'])}</h3>
            <p>${prose(when)}</p>
            ${sample(JSON.stringify(body, null, 2), 'json')}
          </div>`,
      )}
    </div>
  </section> `

const limits = (): Html =>
  html`<section id="limits">
    <h2>Limits and repeated calls</h2>
    <p>
      A limit counts the calls of one principal to one endpoint in a fixed window, over all instances of the service.
      Where there is one, every answer says how it stands, and a call above it is refused with 429. Spending and
      transferring take an <code>Idempotency-Key</code>: repeated with the same key and body, the call is applied once.
    </p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Header of an answer</th>
            <th scope="col">Says</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(headers)
            .filter(([name]) => name !== 'WWW-Authenticate-Basic')
            .map(([name, entry]) => headerRow(name, entry))}
        </tbody>
      </table>
    </div>
  </section> `

const headerRow = (name: string, { description, 'x-decision': decision }: JsonSchema) =>
  html`<tr>
    <td><code>${name}</code></td>
    <td>${prose(String(description))}${decisionMark(decision)}</td>
  </tr> `

const tagSection = ({ name, anchor, operations }: TagSection): Html =>
  html`<section class="chapter" id="${anchor}">
    <h2>${name}</h2>
    ${operations.map(operationSection)}
  </section> `

function decisionSection(): Html {
  const entries = Object.entries<Decision>(decisions).sort(([a], [b]) => a.localeCompare(b))
  return html`<section id="decisions">
    <h2>Decisions</h2>
    <p>Points that the specification leaves open, and how this service closes them. The marks above lead here.</p>
    <dl class="decisions">
      ${entries.map(
        ([id, { gap, choice, why }]) =>
          html`<div id="${id}">
            <dt><a href="#${id}">${id}</a> ${prose(gap)}</dt>
            <dd>${prose(choice)}</dd>
            <dd class="why">${prose(why)}</dd>
          </div> `,
      )}
    </dl>
  </section> `
}

const webhookAnchor = (type: string) => `event-${type.replace('.', '-')}`

/** The requests that the service makes to addresses of apps. */
const webhookSection = ({ webhooks }: OpenApiDocument): Html =>
  html`<section class="chapter" id="events">
    <h2>Events of apps</h2>
    ${Object.entries(webhooks).map(
      ([type, { post }]) =>
        html`<section class="operation" id="${webhookAnchor(type)}">
          <h3><code>${type}</code>${decisionMark(post['x-decision'])}</h3>
          <p>${prose(post.summary)}</p>
          ${sample(JSON.stringify(exampleOf(post.requestBody.content['application/json'].schema), null, 2), 'json')}
        </section> `,
    )}
  </section> `

function contents(chapters: readonly TagSection[], events: readonly string[]): Html {
  const item = ({ method, path, operation }: LocatedOperation) =>
    html`<li>
      <a href="#${operation.operationId}" title="${operation.summary.replaceAll('`', '')}"
        >${methodMark(method)}<span>${wrapAfter('/', path.replace(/^\/api(?=\/)/, ''))}</span></a
      >
    </li> `
  return html`<nav id="contents" aria-label="Contents">
    <ul>
      <li><a href="#start">Introduction</a></li>
      <li><a href="#credentials">Credentials</a></li>
      <li><a href="#failures">Failures</a></li>
      <li><a href="#limits">Limits and repeated calls</a></li>
    </ul>
    ${chapters.map(
      ({ name, anchor, operations }) =>
        html`<h2><a href="#${anchor}">${name}</a></h2>
          <ul class="calls">
            ${operations.map(item)}
          </ul> `,
    )}
    <h2><a href="#events">Events of apps</a></h2>
    <ul class="calls">
      ${events.map(
        (type) =>
          html`<li>
            <a href="#${webhookAnchor(type)}"><span>${type}</span></a>
          </li> `,
      )}
    </ul>
    <h2><a href="#decisions">Decisions</a></h2>
  </nav> `
}
