/** Markup that is safe to send: made by `html` only, which escapes whatever is put into it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

/** A template tag: text is escaped, markup stays, lists are joined, and what is absent leaves nothing. */
export const html = (parts: TemplateStringsArray, ...pieces: HtmlValue[]) =>
  new Html(parts.map((part, at) => part + render(pieces[at])).join(''))

function render(piece: HtmlValue): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece))
  return piece.map(render).join('')
}

/** A sentence whose words in backticks are code. */
export const prose = (text: string) => text.split('`').map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))

/** Text that may wrap after a mark: a path after its slashes, a name after its underscores. */
export const wrapAfter = (mark: string, text: string) =>
  text.split(mark).map((part, at) => (at === 0 ? part : html`${mark}<wbr />${part}`))
