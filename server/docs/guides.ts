import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code_root } from '../platform/package.ts'

/** A guide: a Markdown file, whose first heading is its title and whose first sentence its summary. */
export interface Guide {
  name: string
  title: string
  summary: string
  /** The Markdown, with the address of this service in place of the example's. */
  text: string
}

/** Guides for those who use Plaza, in each language; all others are for developers, in English. */
const guides_for_people = ['for-people', 'for-people-de'] as const

/** The guides in the order in which they are listed; one that is not there yet is left out. */
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

/** The file of a guide. */
const guideFile = (name: string, root = code_root) => join(root, elsewhere[name] ?? `docs/${name}.md`)

/** Files of `docs/` that are no guides for developers of apps. */
export const other_documents = ['decisions', 'glossary', 'keys', 'promises'] as const

export const isForPeople = ({ name }: Guide) => (guides_for_people as readonly string[]).includes(name)

export const isGuide = (name: string) => (guide_names as readonly string[]).includes(name)

/** The address of the service in the files: the one that serves them takes its place. */
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

/** Markdown of a paragraph as plain text on one line. */
const plainText = (text: string) =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
