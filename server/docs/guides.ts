import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code_root } from '../platform/package.ts'

/** A guide: a Markdown file. Its first heading is its title, its first sentence its summary. */
export interface Guide {
  name: string
  title: string
  summary: string
  /** The Markdown, with this service's address instead of the example's. */
  text: string
}

/** Guides for people who use Plaza, in each language; all others are for developers, in English. */
const guides_for_people = ['for-people', 'for-people-de'] as const

/** The guides in the order of the list; missing files are left out. */
export const guide_names = [
  'quickstart',
  'sign-in',
  'pkce',
  'spending',
  'paying',
  'events',
  'webhooks',
  'deploying',
  'terminal',
  'build-servers',
  'agents',
  'teams',
  'errors',
  'limits',
  'paging',
  'browsers',
  'versions',
  'client',
  'from-sandbox-to-live',
  ...guides_for_people,
] as const

/** Guides outside `docs/<name>.md`, by their path in the repository. */
const elsewhere: Readonly<Record<string, string>> = { client: 'client/README.md' }

const guideFile = (name: string, root = code_root) => join(root, elsewhere[name] ?? `docs/${name}.md`)

/** Files of `docs/` that are not guides for app developers. */
export const other_documents = ['decisions', 'glossary', 'keys', 'promises'] as const

export const isForPeople = ({ name }: Guide) => (guides_for_people as readonly string[]).includes(name)

export const isGuide = (name: string) => (guide_names as readonly string[]).includes(name)

/** The service's address in the files; it is replaced with the actual one. */
export const example_address = 'https://plaza.example'

/** Reads the guides. Throws for one without a title or a summary. */
export function readGuides(public_url: string): Guide[] {
  return guide_names
    .filter((name) => existsSync(guideFile(name)))
    .map((name) => {
      const text = readFileSync(guideFile(name), 'utf8').replaceAll(example_address, public_url)
      const [, title, summary] = /^# (.+)\n\n((?:[^\n]+\n)+)/.exec(text) ?? []
      if (title === undefined || summary === undefined) throw new Error(`the guide ${name} has no title or no summary`)
      return { name, title, summary: firstSentence(plainText(summary)), text }
    })
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text

/** A Markdown paragraph as plain text on one line. */
const plainText = (text: string) =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
