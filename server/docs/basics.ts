import { failures } from '../../contract/errors.ts'
import { html, prose, type Html } from '../http/html.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import type { OpenApiDocument } from '../http/openapi.ts'
import { headers } from '../http/openapi-responses.ts'
import { codeBlock } from './code.ts'
import { refusal_page } from './operation.ts'
import { decisionMark } from './schema-table.ts'

/** The page about all calls: address, credentials, scopes, error formats, headers. */
export const basicsContent = (document: OpenApiDocument, base_url: string): Html =>
  html`<h1>How the API works</h1>
    <p class="lead">The rules for every call.</p>
    ${addresses(base_url)} ${credentials(document)} ${failureForms()} ${headerTable()}`

const addresses = (base_url: string) =>
  html`<section id="addresses">
    <h2>Addresses and bodies</h2>
    <dl class="address">
      <dt>Base URL</dt>
      <dd><code>${base_url}</code></dd>
    </dl>
    <p>
      Bodies are JSON in both directions. Unknown fields of a request are ignored, ids are UUIDs, and times are UTC in
      ISO 8601, such as <code>2026-01-31T12:00:00.000Z</code>. Every answer carries an <code>X-Request-Id</code>, which
      the operator of the service finds in its log. The same as data:
      <a href="/api/openapi.json">the OpenAPI document</a>.
    </p>
  </section> `

const tokenKinds = (): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Who calls</th>
        <th scope="col">Header</th>
        <th scope="col">From</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <td>A signed-in person</td>
        <td><code>Authorization: Bearer</code> and a JWT</td>
        <td><a href="/docs/reference/accounts#login">the sign-in</a></td>
      </tr>
      <tr>
        <td>An app, for a person</td>
        <td><code>Authorization: Bearer</code> and an access token</td>
        <td><a href="/docs/reference/oauth#token">the token endpoint</a></td>
      </tr>
      <tr>
        <td>An app itself</td>
        <td><code>Authorization: Basic</code> with <code>client_id</code> and <code>client_secret</code></td>
        <td>the console, under <em>My apps</em></td>
      </tr>
    </tbody>
  </table>`

function credentials({ components }: OpenApiDocument): Html {
  const scopes = Object.entries(components.securitySchemes.oauth2.flows.authorizationCode.scopes)
  return html`<section id="credentials">
      <h2>Credentials</h2>
      <p>Each call names who makes it. No kind of credential is taken in place of another.</p>
      ${tokenKinds()}
      <p>
        A call without a good token is answered with 401 and a <code>WWW-Authenticate</code> header that says where the
        <a href="/docs/reference/infrastructure#protectedResource">metadata</a> are.
      </p>
    </section>
    <section id="scopes">
      <h2>Scopes</h2>
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
    </section> `
}

const forms: { title: string; when: string; body: object }[] = [
  {
    title: 'Nearly everywhere',
    when: 'A code for programs and a sentence for people.',
    body: { error: 'insufficient_points', message: failures.insufficient_points.message },
  },
  {
    title: 'Status 422 of input',
    when: 'The same, with what is wrong about each field.',
    body: {
      error: 'validation_failed',
      message: failures.validation_failed.message,
      fields: [{ path: 'amount', message: 'must be >= 1' }],
    },
  },
  {
    title: 'Token and revocation endpoints',
    when: 'As OAuth 2.0 says (RFC 6749).',
    body: { error: 'invalid_grant', error_description: failures.invalid_grant.message },
  },
  {
    title: 'Before any endpoint',
    when: 'Unknown path 404, wrong method 405, malformed JSON 400, media type 415, size 413, something broke 500, no database 503.',
    body: { errors: { detail: 'Not Found' } },
  },
]

const failureForms = (): Html =>
  html`<section id="failures">
    <h2>Forms of failures</h2>
    <p>The meaning of each code, and what to do about it: <a href="${refusal_page}">every refusal</a>.</p>
    <div class="formats">
      ${forms.map(
        ({ title, when, body }) =>
          html`<div>
            <h3>${title}</h3>
            <p>${prose(when)}</p>
            ${codeBlock(JSON.stringify(body, null, 2), 'json')}
          </div>`,
      )}
    </div>
  </section> `

const headerTable = (): Html =>
  html`<section id="headers">
    <h2>Headers of answers</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Header</th>
          <th scope="col">Says</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(headers)
          .filter(([name]) => name !== 'WWW-Authenticate-Basic')
          .map(([name, entry]) => headerRow(name, entry))}
      </tbody>
    </table>
  </section> `

const headerRow = (name: string, { description, 'x-decision': decision }: JsonSchema) =>
  html`<tr>
    <td><code>${name}</code></td>
    <td>${prose(String(description))}${decisionMark(decision)}</td>
  </tr> `
