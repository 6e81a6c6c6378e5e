import { failures, publicError, type FailureCode } from '../../contract/errors.ts'
import { framework_remedies, remedies } from '../../contract/remedies.ts'
import { html, prose, wrapAfter, type Html } from '../http/html.ts'
import { framework_details } from '../../contract/framework-failures.ts'
import type { Chapter } from './chapters.ts'

interface Cause {
  status: number
  message: string
  remedy: string
}

/** The causes of each public error code, by code. */
export function refusalsByCode(): ReadonlyMap<string, Cause[]> {
  const codes = new Map<string, Cause[]>()
  for (const [code, { status, message }] of Object.entries(failures)) {
    const name = publicError(code as FailureCode)
    codes.set(name, [...(codes.get(name) ?? []), { status, message, remedy: remedies[code as FailureCode] }])
  }
  return new Map([...codes].sort(([a], [b]) => a.localeCompare(b)))
}

/** The calls that can return each code. */
function callsByCode(chapters: readonly Chapter[]) {
  const calls = new Map<string, { href: string; name: string }[]>()
  for (const { path, operations } of chapters)
    for (const { operation } of operations)
      for (const code of codesOf(operation.responses)) {
        const call = { href: `${path}#${operation.operationId}`, name: operation.operationId }
        calls.set(code, [...(calls.get(code) ?? []), call])
      }
  return calls
}

function codesOf(responses: Chapter['operations'][number]['operation']['responses']) {
  const bodies = Object.values(responses).flatMap(({ content = {} }) =>
    Object.values(content['application/json']?.examples ?? {}),
  )
  const codes = bodies.map(({ value }) => (value as { error?: unknown }).error)
  return new Set(codes.filter((code) => typeof code === 'string'))
}

/** Every error code with its meaning and remedy. */
export function refusalsContent(chapters: readonly Chapter[]): Html {
  const calls = callsByCode(chapters)
  return html`<h1>Every refusal</h1>
    <p class="lead">
      What each <code>error</code> means, and what to do about it. How to handle them in general:
      <a href="/docs/guides/errors">the guide</a>.
    </p>
    <ul class="codes">
      ${[...refusalsByCode()].map(
        ([code, causes]) =>
          html`<li id="${code}">
            <h2>
              <a href="#${code}"><code>${wrapAfter('_', code)}</code></a>
            </h2>
            ${causes.map(causeText)} ${callList(calls.get(code) ?? [])}
          </li> `,
      )}
    </ul>
    ${frameworkSection()}`
}

const causeText = ({ status, message, remedy }: Cause) =>
  html`<p><span class="status">${status}</span> ${prose(message)} <span class="remedy">${prose(remedy)}</span></p> `

const listed_max = 6

function callList(calls: readonly { href: string; name: string }[]) {
  if (calls.length === 0) return undefined
  const links = calls.map(({ href, name }, at) => html`${at > 0 && ', '}<a href="${href}">${name}</a>`)
  if (calls.length <= listed_max) return html`<p class="quiet">${links}</p>`
  return html`<details class="quiet">
    <summary>${calls.length} calls</summary>
    <p>${links}</p>
  </details>`
}

const frameworkSection = () =>
  html`<section id="framework">
    <h2>Before any endpoint</h2>
    <p>
      What is refused, or breaks, before an endpoint’s own code runs has no code: its body is
      <code>{"errors":{"detail":"…"}}</code>, and at the token and revocation endpoints OAuth’s form.
    </p>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Detail</th>
          <th scope="col">What to do</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(framework_details).map(
          ([status, detail]) =>
            html`<tr>
              <td><span class="status">${status}</span></td>
              <td>${detail}</td>
              <td>${prose(framework_remedies[Number(status)] ?? '')}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section> `
