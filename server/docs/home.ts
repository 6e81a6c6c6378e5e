import { html, type Html } from '../http/html.ts'
import type { Chapter } from './chapters.ts'
import { isForPeople, type Guide } from './guides.ts'

interface HomeParts {
  guides: readonly Guide[]
  chapters: readonly Chapter[]
  base_url: string
}

/** The first page: where to start, every guide, and every chapter of the reference. */
export const homeContent = ({ guides, chapters, base_url }: HomeParts): Html =>
  html`<h1>Build on Plaza</h1>
    <p class="lead">
      People have one account and one balance. Your app signs them in, takes and returns points, follows what happens,
      and runs here if you like.
    </p>
    <dl class="address">
      <dt>Base URL</dt>
      <dd><code>${base_url}</code></dd>
    </dl>
    ${cardsOf(
      'Guides',
      guides.filter((guide) => !isForPeople(guide)),
    )}
    ${cardsOf('For people', guides.filter(isForPeople))}
    <section id="reference">
      <h2>Reference</h2>
      <ul class="chips">
        <li><a href="/docs/reference">How the API works</a></li>
        <li><a href="/docs/reference/refusals">Every refusal</a></li>
        ${chapters.map(
          ({ name, path, operations }) =>
            html`<li>
              <a href="${path}">${name} <span>${operations.length}</span></a>
            </li> `,
        )}
        <li><a href="/docs/reference/webhook-events">Webhook events</a></li>
      </ul>
    </section>
    <section id="machines">
      <h2>For machines</h2>
      <ul>
        <li><a href="/api/openapi.json">The OpenAPI document</a>, which generators and API clients import</li>
        <li><a href="/llms.txt">llms.txt</a>: the list of guides as Markdown</li>
        <li>
          <a href="/.well-known/openid-configuration">OpenID Connect</a> and
          <a href="/.well-known/oauth-authorization-server">OAuth</a> discovery
        </li>
      </ul>
    </section>`

const cardsOf = (title: string, guides: readonly Guide[]) =>
  html`<section>
    <h2>${title}</h2>
    <ul class="cards">
      ${guides.map(
        (guide) =>
          html`<li>
            <a href="/docs/guides/${guide.name}">${guide.title}</a>
            <p>${guide.summary}</p>
          </li> `,
      )}
    </ul>
  </section>`
