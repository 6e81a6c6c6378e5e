import type { OpenApiDocument } from '../http/openapi.ts'
import { basicsContent } from './basics.ts'
import { chapterContent, chapterPath, chaptersOf, webhookAnchor, webhookContent, type Chapter } from './chapters.ts'
import { decisionsContent } from './decisions-page.ts'
import { isForPeople, type Guide } from './guides.ts'
import { homeContent } from './home.ts'
import { pageDocument, type DocsPage } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { once } from '../platform/once.ts'
import { refusal_page } from './operation.ts'
import { refusalsContent } from './refusals.ts'

const paths = {
  home: '/docs',
  basics: '/docs/reference',
  webhooks: '/docs/reference/webhook-events',
  decisions: '/docs/decisions',
} as const

/** The paths of all pages, known before the document is made. */
export const pagePaths = (guides: readonly Guide[], tags: readonly string[]) => [
  ...Object.values(paths),
  refusal_page,
  ...guides.map(({ name }) => guidePath(name)),
  ...tags.map(chapterPath),
]

const guidePath = (name: string) => `/docs/guides/${name}`

/** Every page of the documentation by its path; each document is rendered at its first request. */
export function docsSite(
  document: OpenApiDocument,
  guides: readonly Guide[],
  { is_sandbox, public_url }: { is_sandbox: boolean; public_url: string },
): ReadonlyMap<string, () => string> {
  const base_url = document.servers?.[0]?.url ?? ''
  const chapters = chaptersOf(document)
  const pagesOf = (some: readonly Guide[]) => some.map((guide) => guidePage(guide, base_url))
  const shelves = [
    { title: 'Guides', pages: pagesOf(guides.filter((guide) => !isForPeople(guide))) },
    { title: 'For people', pages: pagesOf(guides.filter(isForPeople)) },
    {
      title: 'Reference',
      pages: [
        basicsPage(document, base_url),
        refusalsPage(chapters),
        ...chapters.map(chapterPage),
        webhookPage(document),
      ],
    },
    { title: 'More', pages: [decisionsPage] },
  ]
  const home: DocsPage = {
    path: paths.home,
    title: 'Plaza documentation',
    description: 'Guides and reference of the Plaza API: sign in, spend points, follow events, deploy.',
    places: () => [],
    content: () => homeContent({ guides, chapters, base_url }),
  }
  const pages = [home, ...shelves.flatMap((shelf) => shelf.pages)]
  const site = { shelves, version: document.info.version, public_url, is_sandbox }
  return new Map(pages.map((page) => [page.path, () => pageDocument(page, site)]))
}

function guidePage({ name, title, summary, text }: Guide, base_url: string): DocsPage {
  const rendered = once(() => renderMarkdown(text, name, base_url))
  return {
    path: guidePath(name),
    title,
    ...(name.endsWith('-de') && { language: 'de' as const }),
    description: summary,
    places: () => rendered().headings.filter(({ level }) => level === 2),
    content: () => rendered().content,
    markdown: text,
  }
}

const basicsPage = (document: OpenApiDocument, base_url: string): DocsPage => ({
  path: paths.basics,
  title: 'How the API works',
  description: 'Rules of every call of the Plaza API: credentials, scopes, failures, headers.',
  places: () => [
    { anchor: 'addresses', title: 'Addresses and bodies' },
    { anchor: 'credentials', title: 'Credentials' },
    { anchor: 'scopes', title: 'Scopes' },
    { anchor: 'failures', title: 'Forms of failures' },
    { anchor: 'headers', title: 'Headers of answers' },
  ],
  content: () => basicsContent(document, base_url),
})

const refusalsPage = (chapters: readonly Chapter[]): DocsPage => ({
  path: refusal_page,
  title: 'Every refusal',
  description: 'Each error code of the Plaza API: its meaning and its remedy.',
  places: () => [],
  content: () => refusalsContent(chapters),
})

const chapterPage = (chapter: Chapter): DocsPage => ({
  path: chapter.path,
  title: chapter.name,
  description: `${chapter.name}: who may make each call, what it takes, what it answers.`,
  places: () =>
    chapter.operations.map(({ method, path, operation }) => ({
      anchor: operation.operationId,
      title: path.replace(/^\/api(?=\/)/, ''),
      method,
    })),
  content: () => chapterContent(chapter),
})

const webhookPage = (document: OpenApiDocument): DocsPage => ({
  path: paths.webhooks,
  title: 'Webhook events',
  description: 'The events that Plaza sends to apps, with their payloads.',
  places: () => Object.keys(document.webhooks).map((type) => ({ anchor: webhookAnchor(type), title: type })),
  content: () => webhookContent(document),
})

const decisionsPage: DocsPage = {
  path: paths.decisions,
  title: 'Register of decisions',
  description: 'Points that the specification leaves open, and how this service closes them.',
  places: () => [],
  content: decisionsContent,
}
