import { Marked, type Token, type Tokens } from 'marked'
import { Html, html } from '../http/html.ts'
import { escapeHtml } from '../platform/escape-html.ts'
import { codeBlock, codeTabs, isReader, type Sample } from './code.ts'
import { isGuide } from './guides.ts'

/** A heading that is a link target. */
export interface Heading {
  level: number
  anchor: string
  title: string
}

export interface Rendered {
  content: Html
  headings: Heading[]
}

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/**
 * A link of a file in `docs/` as a page's address: guides and the register are pages; links to other files become text.
 */
function hrefOf(target: string, public_url: string): string | undefined {
  if (target.startsWith(`${public_url}/`)) return target.slice(public_url.length)
  if (/^(?:[a-z]+:|#|\/)/.test(target)) return target
  const [, name = '', anchor = ''] =
    /^([\w-]+)\.md(#.*)?$/.exec(target.replace('../client/README.md', 'client.md')) ?? []
  if (name === 'decisions') return `/docs/decisions${anchor.toUpperCase()}`
  return isGuide(name) ? `/docs/guides/${name}${anchor}` : undefined
}

function rendererFor(public_url: string) {
  return new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const anchor = anchorOf(text.replaceAll('`', ''))
        const title = this.parser.parseInline(tokens)
        return depth === 1
          ? `<h1>${title}</h1>\n`
          : `<h${depth} id="${anchor}"><a href="#${anchor}">${title}</a></h${depth}>\n`
      },
      code: ({ text, lang = '' }) => codeBlock(text, lang.split(/\s/)[0] ?? '').text,
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = hrefOf(href, public_url)
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`
      },
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      html: ({ text }) => escapeHtml(text),
    },
  })
}

const idOf = ({ lang = '' }: Tokens.Code) => /\bid=(\S+)/.exec(lang)?.[1] ?? ''

/** The reader in a block's id: Python for `spend-python`; undefined if the id ends with none. */
function readerOf(token: Tokens.Code) {
  const word = idOf(token).split('-').at(-1) ?? ''
  return isReader(word) ? word : undefined
}

/** Markdown as HTML. Successive code blocks whose ids end with a reader's name become tabs. */
export function renderMarkdown(text: string, name: string, public_url: string): Rendered {
  const marked = rendererFor(public_url)
  const tokens = marked.lexer(text)
  const parts: Html[] = []
  let tabs: Sample[] = []
  const endTabs = () => {
    if (tabs.length > 0) parts.push(codeOf(`${name}-${parts.length}`, tabs))
    tabs = []
  }
  for (const token of tokens) {
    if (token.type === 'space') continue
    const reader = token.type === 'code' ? readerOf(token as Tokens.Code) : undefined
    if (reader !== undefined) {
      const { text: code, lang = '' } = token as Tokens.Code
      if (tabs.some((sample) => sample.reader === reader)) endTabs()
      tabs.push({ reader, language: lang.split(/\s/)[0] ?? '', code })
      continue
    }
    endTabs()
    parts.push(new Html(marked.parser([token])))
  }
  endTabs()
  return { content: html`${parts}`, headings: headingsOf(tokens) }
}

const codeOf = (name: string, samples: readonly Sample[]) =>
  samples.length > 1 ? codeTabs(name, samples) : html`${samples.map(({ code, language }) => codeBlock(code, language))}`

const headingsOf = (tokens: readonly Token[]): Heading[] =>
  tokens.flatMap((token) => {
    if (token.type !== 'heading') return []
    const title = String(token.text).replaceAll('`', '')
    return [{ level: Number(token.depth), anchor: anchorOf(title), title }]
  })
