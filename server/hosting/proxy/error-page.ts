import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { Html, html } from '../../http/html.ts'

export interface ErrorPage {
  status: number
  message: string
  /** The visitor's next step. */
  advice: string
}

const style = `
:root{color-scheme:light dark;--text:#1f2328;--dim:#57606a;--ground:#f6f8fa;--card:#fff;--line:#d0d7de}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--dim:#9da7b3;--ground:#0d1117;--card:#161b22;--line:#30363d}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.6 system-ui,sans-serif}
main{box-sizing:border-box;width:min(34rem,100% - 2rem);margin:1rem;padding:2.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1.5rem}
p:last-child{margin:0;color:var(--dim);font-size:.875rem}
`

/** In one string, because a formatter's whitespace inside the element would change its hash. */
const style_element = new Html(`<style>${style}</style>`)

/** Allows only the page's own style, by its hash: no script, request, form or frame. */
export const page_security_policy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The page that the router shows instead of a site. It tells the visitor what to do next and reveals nothing about the installation. */
export const errorPage = ({ status, message, advice }: ErrorPage) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${message}</title>
        ${style_element}
      </head>
      <body>
        <main>
          <h1>${message}</h1>
          <p>${advice}</p>
          <p>${status} ${STATUS_CODES[status]}</p>
        </main>
      </body>
    </html>`.text
