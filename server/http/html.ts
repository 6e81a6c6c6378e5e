import { escapeHtml } from '../platform/escape-html.ts'

/** Safe markup. Only `html` creates it, and escapes its values. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[]

/** A template tag: escapes text, keeps markup, joins lists, and renders undefined and false as nothing. */
export const html = (parts: TemplateStringsArray, ...values: HtmlValue[]) =>
  new Html(parts.map((part, at) => part + render(values[at])).join(''))

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(render).join('')
}

/** Converts words in backticks to code elements. */
export const prose = (text: string) => text.split('`').map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))

/** Adds a break opportunity after each mark: in a path after its slashes, in a name after its underscores. */
export const wrapAfter = (mark: string, text: string) =>
  text.split(mark).map((part, at) => (at === 0 ? part : html`${mark}<wbr />${part}`))
