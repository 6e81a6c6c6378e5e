import { pageHead } from '../http/page-head.ts'
import { html, wrapAfter, type Html } from '../http/html.ts'

/** A link target on a page. */
export interface Place {
  anchor: string
  title: string
  method?: string
}

/** A page of the documentation; content and link targets are made when it is shown. */
export interface DocsPage {
  path: string
  title: string
  description: string
  /** Link targets that the contents list below the page's own entry. */
  places: () => readonly Place[]
  content: () => Html
  /** Set for German pages; the others are English. */
  language?: 'de'
  /** The page as Markdown, if it has that form. */
  markdown?: string
}

/** A titled part of the contents. */
export interface Shelf {
  title: string
  pages: DocsPage[]
}

export interface Site {
  shelves: readonly Shelf[]
  version: string
  public_url: string
  is_sandbox: boolean
}

const sandbox_banner = html`<p class="sandbox">
  <strong>Sandbox</strong> Play points, and apps that nobody has checked.
</p>`

/** The document of one page, with the contents of all pages. */
export const pageDocument = (page: DocsPage, site: Site): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${pageHead({
          title: page.path === '/docs' ? page.title : `${page.title} · Plaza documentation`,
          description: page.description,
          url: `${site.public_url}${page.path}`,
          picture: `${site.public_url}/preview.png?path=/docs`,
        })}
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/docs.css" />
        <script src="/docs/scheme.js"></script>
        ${page.markdown !== undefined && html`<link rel="alternate" type="text/markdown" href="${page.path}.md" />`}
        <script src="/docs/docs.js" type="module"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${site.is_sandbox && sandbox_banner} ${bar(site.version)}
        <div class="page">
          ${contents(page, site.shelves)}
          <main id="content" tabindex="-1" ${page.language !== undefined && html`lang="${page.language}"`}>
            ${page.content()}
            ${
              page.markdown !== undefined &&
              html`<p class="quiet source"><a href="${page.path}.md">This page as Markdown</a></p>`
            }
          </main>
        </div>
      </body>
    </html> `.text

const bar = (version: string) =>
  html`<header class="bar">
    <button class="to-contents" type="button" popovertarget="contents">Contents</button>
    <a class="brand" href="/" aria-label="Plaza, home page">
      <img src="/icon.svg" width="24" height="24" alt="" /><span>Plaza</span>
    </a>
    <a class="title" href="/docs">Documentation</a>
    <span class="version">${version}</span>
    <button class="to-search" type="button" hidden>Search <kbd>/</kbd></button>
    <a class="to-openapi" href="/api/openapi.json">OpenAPI</a>
    <a href="/apps">Console</a>
  </header>`

const contents = (page: DocsPage, shelves: readonly Shelf[]) =>
  html`<nav id="contents" aria-label="Documentation" popover>
    ${shelves.map(
      ({ title, pages }) =>
        html`<h2>${title}</h2>
          <ul>
            ${pages.map((entry) => contentsEntry(entry, entry === page))}
          </ul> `,
    )}
  </nav>`

const contentsEntry = ({ path, title, places }: DocsPage, is_current: boolean) =>
  html`<li>
    <a href="${path}" ${is_current && 'aria-current=page'}>${title}</a>
    ${is_current && placeList(places())}
  </li> `

const placeList = (places: readonly Place[]) =>
  places.length > 0 &&
  html`<ul class="places">
    ${places.map(
      ({ anchor, title: name, method }) =>
        html`<li>
          <a href="#${anchor}"
            >${method !== undefined && html`<span class="method ${method}">${method.toUpperCase()}</span>`}<span
              >${wrapAfter('/', name)}</span
            ></a
          >
        </li> `,
    )}
  </ul>`
