import type { OpenApiDocument } from '../http/openapi.ts'
import type { Chapter } from './chapters.ts'
import { webhookAnchor } from './chapters.ts'
import type { Guide } from './guides.ts'
import { anchorOf } from './markdown.ts'
import { refusal_page } from './operation.ts'
import { refusalsByCode } from './refusals.ts'

export interface SearchEntry {
  href: string
  title: string
  /** The kind of the entry and its page. */
  place: string
  text: string
}

interface Searched {
  guides: readonly Guide[]
  chapters: readonly Chapter[]
  document: OpenApiDocument
}

export const searchEntries = ({ guides, chapters, document }: Searched): SearchEntry[] => [
  ...guides.flatMap(guideEntries),
  ...chapters.flatMap(({ name, path, operations }) =>
    operations.map(({ method, path: call, operation }) => ({
      href: `${path}#${operation.operationId}`,
      title: operation.summary.replaceAll('`', ''),
      place: `${name} · ${method.toUpperCase()} ${call}`,
      text: `${operation.operationId} ${operation.description ?? ''} ${fieldNames(operation.requestBody)}`,
    })),
  ),
  ...[...refusalsByCode()].map(([code, causes]) => ({
    href: `${refusal_page}#${code}`,
    title: code,
    place: `Refusal · ${[...new Set(causes.map(({ status }) => status))].join(', ')}`,
    text: causes.map(({ message, remedy }) => `${message} ${remedy}`).join(' '),
  })),
  ...Object.entries(document.webhooks).map(([type, { post }]) => ({
    href: `/docs/reference/webhook-events#${webhookAnchor(type)}`,
    title: type,
    place: 'Webhook event',
    text: post.summary,
  })),
]

const fieldNames = (value: unknown): string =>
  [...JSON.stringify(value ?? {}).matchAll(/"properties":(\{)/g)].length === 0
    ? ''
    : [...JSON.stringify(value).matchAll(/"([a-z_]{3,40})":\{"(?:type|description|enum)/g)]
        .map(([, name]) => name)
        .join(' ')

/** One entry for each section of a guide. */
function guideEntries({ name, title, summary, text }: Guide): SearchEntry[] {
  const [, ...sections] = withoutCode(text).split(/^## /m)
  return [
    { href: `/docs/guides/${name}`, title, place: 'Guide', text: summary },
    ...sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const words = lines
        .join(' ')
        .replaceAll(/[`*|#[\]()]/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
      const plain = heading.replaceAll('`', '')
      return { href: `/docs/guides/${name}#${anchorOf(plain)}`, title: plain, place: `Guide · ${title}`, text: words }
    }),
  ]
}

const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '')
