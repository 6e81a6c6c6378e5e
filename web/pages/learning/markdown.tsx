import { Code } from '@mantine/core'
import { lexer, type MarkedToken, type Token } from 'marked'
import { createElement, Fragment, useMemo, type ReactNode } from 'react'
import classes from './markdown.module.css'
import { SafeLink } from './sources.tsx'
import { t } from '../../texts.ts'

/**
 * Renders Markdown as React elements. HTML in the text is shown as text, so nothing needs sanitizing. Images are replaced
 * by their alt text; only https and mailto links are rendered.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => lexer(text), [text])
  return <div className={classes.text}>{render(tokens)}</div>
}

const render = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => <Fragment key={at}>{renderToken(token as MarkedToken)}</Fragment>)

function renderToken(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // The step's title is the h1 of the page.
      return createElement(`h${Math.min(6, token.depth + 1)}`, null, render(token.tokens))
    case 'paragraph':
      return <p>{render(token.tokens)}</p>
    case 'blockquote':
      return <blockquote>{render(token.tokens)}</blockquote>
    case 'list':
      return createElement(
        token.ordered ? 'ol' : 'ul',
        token.ordered && token.start !== '' ? { start: token.start } : null,
        token.items.map((item, at) => <li key={at}>{render(item.tokens)}</li>),
      )
    case 'code':
      return <Code block>{token.text}</Code>
    case 'hr':
      return <hr />
    case 'table':
      return renderTable(token)
    default:
      return renderInline(token)
  }
}

function renderInline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{render(token.tokens)}</strong>
    case 'em':
      return <em>{render(token.tokens)}</em>
    case 'del':
      return <del>{render(token.tokens)}</del>
    case 'codespan':
      return <Code>{token.text}</Code>
    case 'br':
      return <br />
    case 'link':
      return <SafeLink href={token.href}>{render(token.tokens)}</SafeLink>
    case 'image':
      return token.text
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'text':
      return token.tokens ? render(token.tokens) : token.text
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

type Table = Extract<MarkedToken, { type: 'table' }>

const renderTable = ({ header, rows }: Table) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('learning.markdown.table')}>
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at}>{render(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{render(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
