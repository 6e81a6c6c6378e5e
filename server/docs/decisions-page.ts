import { decision_texts, type DecisionText } from '../../contract/decision-texts.ts'
import { html, prose, type Html } from '../http/html.ts'

/** Every decision of the register; the marks in the reference link here. */
export function decisionsContent(): Html {
  const entries = Object.entries<DecisionText>(decision_texts).sort(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  return html`<h1>Register of decisions</h1>
    <p class="lead">Points that the specification leaves open, and how this service closes them.</p>
    <dl class="decisions">
      ${entries.map(
        ([id, { gap, choice, why }]) =>
          html`<div id="${id}">
            <dt><a href="#${id}">${id}</a> ${prose(gap)}</dt>
            <dd>${prose(choice)}</dd>
            <dd class="why-text">${prose(why)}</dd>
          </div> `,
      )}
    </dl>`
}
