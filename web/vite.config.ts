import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { chunkNames, pageModules } from './chunks.ts'
import { classesIn, withoutUnused } from './unused-styles.ts'

/**
 * Takes the prose out of the register of decisions: the console reads its values only, and the texts would be a good part
 * of what a visitor downloads.
 */
const bareDecisions: Plugin = {
  name: 'bare-decisions',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/contract/decisions.ts')) return undefined
    const prose = /^ {4}(gap|choice|why):(?:\s*'(?:[^'\\]|\\.)*'(?:\s*\+)?)+,$/gm
    return { code: code.replace(prose, "    $1: '',"), map: null }
  },
}

/**
 * Writes into the document which files each page needs beside those that every page needs, so that scheme.js can have
 * them fetched at once: else the browser would hear of them only when what comes first has been fetched and has run.
 */
const partsInDocument: Plugin = {
  name: 'parts-in-document',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const named = (name: string) => chunks.find((chunk) => chunk.name === name)
      const withModule = (module: string) => chunks.find(({ moduleIds }) => moduleIds.includes(module))
      const needs = (file: string): string[] => [
        file,
        ...(chunks.find(({ fileName }) => fileName === file)?.imports ?? []).flatMap(needs),
      ]
      const known = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => needs(fileName)))
      const files: string[] = []
      const placeOf = (file: string) => {
        if (!files.includes(file)) files.push(file)
        return files.indexOf(file)
      }
      const pages = pageModules().map(({ path, module }) => {
        const needed = [named('frame'), withModule(module)].flatMap((chunk) => needs(chunk?.fileName ?? ''))
        const further = [...new Set(needed)].filter((file) => file !== '' && !known.has(file))
        return [path, further.map((file) => placeOf(`/${file}`))] as const
      })
      const [entry] = chunks.filter(({ isEntry }) => isEntry)
      const base = named('base')
      if (!entry || !base) throw new Error('the console has no entry or no base')
      // The entry does nothing but import the base: a file, and a round trip, for one line.
      const direct = html
        .replace(`src="/${entry.fileName}"`, `src="/${base.fileName}"`)
        .replace(new RegExp(`\\s*<link rel="modulepreload"[^>]*${base.fileName}">`), '')
      const parts = JSON.stringify({ files, pages: Object.fromEntries(pages) })
      return direct.replace('%PARTS%', parts.replaceAll('"', '&quot;'))
    },
  },
}

/** Takes out of the style sheet what no script can ask for. */
const usedStyles: Plugin = {
  name: 'used-styles',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle)
    const used = classesIn(files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])))
    for (const file of files)
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = withoutUnused(Buffer.from(file.source).toString(), used)
  },
}

/** Writes a `.br` and a `.gz` beside every file worth it, so that the service never compresses while it serves. */
const precompressed: Plugin = {
  name: 'precompressed',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => /\.(?:js|css|svg)$/.test(file))) {
      const content = readFileSync(join(dir, name))
      if (content.length < 512) continue
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params }))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }))
    }
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [bareDecisions, react(), partsInDocument, usedStyles, precompressed],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Everything is a file: the policy of our pages lets nothing inline run, and data: only for pictures.
    assetsInlineLimit: 0,
    // One style sheet: which page is shown first changes nothing of the order of its rules.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: chunkNames(), debugName: 'areas' }], includeDependenciesRecursively: false },
      },
    },
    // Browsers without it fetch the same files, only later.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  // `npm run dev:web`: where the service listens, by the same setting as the service.
  server: {
    port: 5173,
    proxy: { '^/(api|health|livez|readyz|docs|\\.well-known|logos)': `http://localhost:${process.env.PORT ?? 3000}` },
  },
})
