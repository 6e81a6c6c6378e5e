import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, runnerImport, type Plugin } from 'vite'
import { chunkNames, pageModules } from './chunks.ts'
import type * as EarlyCalls from './early-calls.ts'
import { mergedRuntime } from './merge-runtime.ts'
import { texts } from './texts-plugin.ts'
import { classesIn, withoutUnused } from './unused-styles.ts'

/**
 * Leaves out the texts of the decisions, and those without a value: the console reads only values, and the texts are a large
 * part of the first download.
 */
const decisionsWithoutTexts: Plugin = {
  name: 'decisions-without-texts',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/contract/decisions.ts')) return undefined
    const prose = /^ {4}(?:gap|choice|why):(?:\s*'(?:[^'\\]|\\.)*'(?:\s*\+)?)+,$/gm
    return { code: code.replace(prose, '').replace(/^ {2}'D-\d+': decide\(\{\s*\}\),$/gm, ''), map: null }
  },
}

/** A text of the source, or several with plus signs between. */
const text = String.raw`(?:'(?:[^'\\]|\\.)*'|\`(?:[^\`\\]|\\.)*\`)`
const text_sum = `${text}(?:\\s*\\+\\s*${text})*`

/** Empties what the contract says of operations and fields: only the OpenAPI document shows it. */
const contractWithoutDescriptions: Plugin = {
  name: 'contract-without-descriptions',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/contract\/[^/]+\.ts$/.test(id)) return undefined
    const fields = new RegExp(`\\bdescribed\\(\\s*${text_sum},`, 'g')
    const operations = new RegExp(`^  description:\\s*${text_sum},$`, 'gm')
    return { code: code.replace(fields, "described('',").replace(operations, ''), map: null }
  },
}

/**
 * Leaves out `Table.ScrollContainer`, which Mantine's table always imports: it needs the library of menus and tooltips, and
 * every page with a table would load that before it is drawn. The console scrolls tables with the class `scroll-x`.
 */
const tablesWithoutScrollContainer: Plugin = {
  name: 'tables-without-scroll-container',
  transform(_code, id) {
    if (!id.endsWith('/Table/TableScrollContainer.mjs')) return undefined
    const message = 'Table.ScrollContainer is not part of the build (web/vite.config.ts): use the class scroll-x'
    return { code: `export const TableScrollContainer = () => { throw new Error('${message}') }`, map: null }
  },
}

/**
 * Writes into index.html which chunks each page needs beside `base`, for preload.ts, and which calls it makes first, for early.js;
 * otherwise the browser finds them only after `base` has run.
 */
const pagePreloads: Plugin = {
  name: 'page-preloads',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const chunkNamed = (name: string) => chunks.find((chunk) => chunk.name === name)
      const chunkWith = (module: string) => chunks.find(({ moduleIds }) => moduleIds.includes(module))
      const needs = (file: string): string[] => [
        file,
        ...(chunks.find(({ fileName }) => fileName === file)?.imports ?? []).flatMap(needs),
      ]
      const known = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => needs(fileName)))
      const files: string[] = []
      const indexOf = (file: string) => {
        if (!files.includes(file)) files.push(file)
        return files.indexOf(file)
      }
      const pages = pageModules().map(({ path, module }) => {
        const needed = [chunkNamed('frame'), chunkWith(module)].flatMap((chunk) => needs(chunk?.fileName ?? ''))
        const further = [...new Set(needed)].filter((file) => file !== '' && !known.has(file))
        return [path, further.map((file) => indexOf(`/${file}`))] as const
      })
      const [entry] = chunks.filter(({ isEntry }) => isEntry)
      const base = chunkNamed('base')
      if (!entry || !base) throw new Error('the build has no entry chunk or no base chunk')
      // The entry chunk only imports `base`: load `base` directly and save a round trip.
      const direct = html
        .replace(`src="/${entry.fileName}"`, `src="/${base.fileName}"`)
        .replace(new RegExp(`\\s*<link rel="modulepreload"[^>]*${base.fileName}">`), '')
        // Merged into `base` (merge-runtime.ts), and still among the imports of the entry.
        .replace(/\s*<script [^>]*rolldown-runtime[^>]*><\/script>/, '')
      // Imported by vite: bundled with this file, the modules of all pages would be too.
      const { module } = await runnerImport<typeof EarlyCalls>(
        fileURLToPath(new URL('early-calls.ts', import.meta.url)),
      )
      const preloads = JSON.stringify({ files, pages: Object.fromEntries(pages), calls: module.earlyCalls() })
      return direct.replace('%PRELOADS%', preloads.replaceAll('"', '&quot;'))
    },
  },
}

/**
 * Preloads the font: otherwise it is found only when the style sheet has been read, and text is drawn twice. Its letters for other Latin
 * languages are a file of their own, which is loaded where they occur. The licence (OFL 1.1) asks to be shipped beside it.
 */
const fontPreload: Plugin = {
  name: 'font-preload',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(fileURLToPath(import.meta.resolve('@fontsource-variable/figtree/LICENSE')), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'licenses/figtree.txt', source })
  },
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const file = Object.keys(bundle).find((name) => /figtree-latin-wght-normal[^/]*\.woff2$/.test(name))
      if (file === undefined) throw new Error('the build has no font')
      const link = `<link rel="preload" href="/${file}" as="font" type="font/woff2" crossorigin />`
      return html.replace('<meta name="plaza-preloads"', `${link}\n    <meta name="plaza-preloads"`)
    },
  },
}

/** Removes unused Mantine rules from the style sheets. */
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

/** Builds the script of the documentation, which is no page of the console and shares nothing with it. */
const docsScript: Plugin = {
  name: 'docs-script',
  apply: 'build',
  async generateBundle() {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('docs/main.ts', import.meta.url))],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
    })
    this.emitFile({ type: 'asset', fileName: 'docs/docs.js', source: outputFiles[0]!.text })
  },
}

/** Writes a `.br` and a `.gz` beside every file of at least 512 bytes, so that the service does not compress on requests. */
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
  plugins: [
    decisionsWithoutTexts,
    contractWithoutDescriptions,
    tablesWithoutScrollContainer,
    texts(),
    react(),
    mergedRuntime,
    pagePreloads,
    fontPreload,
    usedStyles,
    docsScript,
    precompressed,
  ],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // No inline assets: the content security policy allows no inline code, and data: URLs only for images.
    assetsInlineLimit: 0,
    // One style sheet: which page is shown first changes nothing of the order of its rules.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: chunkNames(), debugName: 'areas' }], includeDependenciesRecursively: false },
      },
    },
    // Browsers without modulepreload load the same files later.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  // For `npm run dev`: the service listens on PORT. Modules of web/api are no paths of it.
  server: {
    proxy: {
      '^/(api(?!/[\\w-]+\\.ts\\b)|health|livez|readyz|docs|\\.well-known|logos)': `http://localhost:${process.env.PORT ?? 3000}`,
    },
  },
})
