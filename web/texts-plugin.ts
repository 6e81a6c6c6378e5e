import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'
import { contractTexts } from './contract-texts.ts'

const web = fileURLToPath(new URL('.', import.meta.url))
const folder = fileURLToPath(new URL('../languages/', import.meta.url))
const runtime = join(web, 'texts.ts')

const read = (code: string) => JSON.parse(readFileSync(join(folder, `${code}.json`), 'utf8')) as Record<string, string>

/** The palette is loaded on demand, and so are the search terms of pages; their lists are in the first chunk. */
const palette = join(web, 'ui/palette.tsx')
const isSearchTerm = (key: string) => key.endsWith('-keywords')

/** The server makes the mails. */
const isShown = (key: string) => !key.startsWith('mail.')

/** The languages besides English. A language that lacks a text is not offered. */
function translations(english: Record<string, string>) {
  const codes = readdirSync(folder).flatMap((file) => /^([a-z]+)\.json$/.exec(file)?.[1] ?? [])
  const needed = [...Object.keys(english), ...Object.keys(contractTexts())]
  return codes.filter((code) => {
    const translated = read(code)
    return code !== 'en' && needed.every((key) => key in translated)
  })
}

/**
 * Gives every module of the console the English texts that it names, so that a page loads only its own, and every other
 * language as one chunk (`virtual:languages`). The build shortens the keys.
 */
export function texts(): Plugin {
  const english = read('en')
  const keys = Object.keys(english).filter(isShown)
  let nameOf = (key: string) => key
  const compiled = (of: Record<string, string>, wanted: readonly string[]) =>
    JSON.stringify(Object.fromEntries(wanted.map((key) => [nameOf(key), compile(of[key] ?? '')])))
  return {
    name: 'texts',
    enforce: 'pre',
    configResolved({ command, isProduction }) {
      const short = new Map(keys.map((key, at) => [key, at.toString(36)]))
      if (command === 'build' && isProduction) nameOf = (key) => short.get(key) ?? key
    },
    resolveId: { filter: { id: /^virtual:languages?($|\/)/ }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0virtual:languages?($|\/)/ },
      handler(id) {
        const [, code] = /^\0virtual:language\/(.+)$/.exec(id) ?? []
        if (code !== undefined) {
          const translated = read(code)
          const contract = Object.entries(contractTexts()).map(([key, text]) => [text, translated[key] ?? text])
          return `import { contractTranslator } from ${JSON.stringify(join(web, 'contract-translator.ts'))}
export const texts = ${compiled(translated, keys)}
export const translatorFor = (locale) => contractTranslator(${JSON.stringify(contract)}, locale)`
        }
        const loaders = translations(english).map((one) => `${one}: () => import('virtual:language/${one}')`)
        return `export const languages = { ${loaders.join(', ')} }`
      },
    },
    transform: {
      filter: { id: /\/web\/.*\.tsx?$/ },
      handler(code, id) {
        if (!id.startsWith(web)) return undefined
        const named = new Set<string>()
        const renamed = code.replace(
          /(['"])([a-z0-9-]+(?:\.[a-z0-9_-]+){1,3})\1/g,
          (whole, quote: string, key: string) => {
            if (!(key in english)) return whole
            if (!isSearchTerm(key) || !id.endsWith('/pages.ts')) named.add(key)
            return `${quote}${nameOf(key)}${quote}`
          },
        )
        if (id === palette) for (const key of keys.filter(isSearchTerm)) named.add(key)
        if (renamed === code && named.size === 0) return undefined
        const given = `import { defineTexts } from ${JSON.stringify(runtime)}; defineTexts(${compiled(english, [...named])});`
        return { code: `${given}${renamed}`, map: null }
      },
    },
  }
}
