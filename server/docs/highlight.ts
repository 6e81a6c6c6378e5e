import hljs from 'highlight.js/lib/core'
import apache from 'highlight.js/lib/languages/apache'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { Html } from '../http/html.ts'
import { escapeHtml } from '../platform/escape-html.ts'

const languages = { apache, bash, http, javascript, json, python, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Names that code blocks use in addition to those of the languages. */
const aliases: Readonly<Record<string, string>> = { sh: 'bash', js: 'javascript', ts: 'typescript', html: 'xml' }

/** Code with a span and a class around each keyword, string and so on; plain text if the language is unknown. */
export function highlighted(code: string, language: string): Html {
  const name = aliases[language] ?? language
  return new Html(hljs.getLanguage(name) ? hljs.highlight(code, { language: name }).value : escapeHtml(code))
}
