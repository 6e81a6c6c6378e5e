import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import { texts } from './texts-plugin.ts'

/**
 * Preloads the font; otherwise text is drawn twice. Lists for `public/early.js` the chunks that every signed-in user needs;
 * otherwise the browser finds them only when `base` has run.
 */
const preloads: Plugin = {
  name: 'preloads',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const addressOf = (file: RegExp) => {
        const name = Object.keys(bundle).find((one) => file.test(one))
        if (name === undefined) throw new Error(`the build has no ${file.source}`)
        return `/${name}`
      }
      const font = addressOf(/figtree-latin-wght-normal-.*\.woff2$/)
      const chunks = [addressOf(/\/shared-.*\.js$/), addressOf(/\/frame-.*\.js$/)]
      return [
        { tag: 'link', attrs: { rel: 'preload', href: font, as: 'font', type: 'font/woff2', crossorigin: true } },
        ...chunks.map((content) => ({ tag: 'meta', attrs: { name: 'plaza-signed-in', content } })),
      ]
    },
  },
}

/** The font's licence (OFL 1.1) must be shipped beside it. */
const fontLicence: Plugin = {
  name: 'font-licence',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(fileURLToPath(import.meta.resolve('@fontsource-variable/figtree/LICENSE')), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'licenses/figtree.txt', source })
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
  async writeBundle({ dir = '' }, bundle) {
    const names = Object.keys(bundle).filter((file) => /\.(?:js|css|svg)$/.test(file))
    await Promise.all(
      names.map(async (name) => {
        const content = await readFile(join(dir, name))
        if (content.length < 512) return
        await writeFile(join(dir, `${name}.br`), await promisify(brotliCompress)(content))
        await writeFile(join(dir, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
      }),
    )
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [texts(), react(), preloads, fontLicence, docsScript, precompressed],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // No inline assets: the content security policy allows no inline code, and data: URLs only for images.
    assetsInlineLimit: 0,
    // One style sheet: which page is shown first changes nothing of the order of its rules.
    cssCodeSplit: false,
    rolldownOptions: {
      // Imports into `shared` stay dynamic for `base`.
      checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
      // Few chunks in place of 200 small ones: the first page of a visitor, what pages of several areas use, and what pages of
      // one area use.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'] },
            { name: 'shared', test: /\/web\/(?!pages\/)|\/@mantine\/(?!charts\/)/, minShareCount: 2 },
            { name: 'contract', test: /\/contract\//, minShareCount: 4 },
            { name: (id) => /\/web\/pages\/([\w-]+)\//.exec(id)?.[1] ?? null, minShareCount: 2 },
          ],
        },
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
