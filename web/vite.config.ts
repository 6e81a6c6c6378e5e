import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import type { Page } from './page.ts'
import { contract } from './contract-plugin.ts'
import { texts } from './texts-plugin.ts'

/**
 * Preloads the font, because text would otherwise be drawn twice, and the chunk that the first one imports when it
 * runs.
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
      return [
        { tag: 'link', attrs: { rel: 'preload', href: font, as: 'font', type: 'font/woff2', crossorigin: true } },
        { tag: 'link', attrs: { rel: 'modulepreload', href: addressOf(/\/console-.*\.js$/), crossorigin: true } },
      ]
    },
  },
}

/**
 * Chromium then compiles functions on another thread while a file arrives, instead of one by one as they are first
 * called: about a quarter less work in long tasks on a first visit. The comment must be the first line; other browsers ignore it.
 */
const earlyCompilation: Plugin = {
  name: 'early-compilation',
  apply: 'build',
  generateBundle: {
    // After Vite's list of preloads.
    order: 'post',
    handler(_options, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`
    },
  },
}

/** The font's licence (OFL 1.1) must be shipped with it. */
const fontLicence: Plugin = {
  name: 'font-licence',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(fileURLToPath(import.meta.resolve('@fontsource-variable/figtree/LICENSE')), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'licenses/figtree.txt', source })
  },
}

/** Builds the script of the documentation, which is not a page of the console, and copies the font for it. */
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
    const font = import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2')
    this.emitFile({ type: 'asset', fileName: 'docs/figtree.woff2', source: readFileSync(fileURLToPath(font)) })
  },
}

/**
 * The modules of the shell and of the pages in a phone's bottom bar: these and their dependencies work without a
 * network.
 */
const kept_offline =
  /\/web\/(?:main|console)\.ts|\/web\/ui\/(?:frame|palette)\.tsx$|\/web\/pages\/(?:public\/overview|account\/(?:overview|points)|people\/(?:chat|friends)|inbox\/inbox|learning\/path)\.tsx$|virtual:language\//

/** Writes the service worker, with the list of files for the shell and these pages, and a hash of it as its version. */
const serviceWorker: Plugin = {
  name: 'service-worker',
  apply: 'build',
  generateBundle: {
    // After the style sheet.
    order: 'post',
    handler(_options, bundle) {
      const needed = new Set(['early.js', 'icon.svg', 'icon-192.png', 'manifest.webmanifest'])
      const add = (name: string) => {
        const chunk = bundle[name]
        if (needed.has(name) || chunk?.type !== 'chunk') return
        needed.add(name)
        for (const one of chunk.imports) add(one)
      }
      for (const [name, chunk] of Object.entries(bundle)) {
        if (/\.css$|latin-wght-normal-.*\.woff2$/.test(name)) needed.add(name)
        if (chunk.type !== 'chunk' || !chunk.moduleIds.some((id) => kept_offline.test(id))) continue
        add(name)
        // The first chunks load every page on demand.
        if (!/^assets\/(?:index|console)-/.test(name)) for (const part of chunk.dynamicImports) add(part)
      }
      const files = [...needed].toSorted().map((name) => `/${name}`)
      const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 12)
      const program = readFileSync(fileURLToPath(new URL('sw.js', import.meta.url)), 'utf8')
      const source = program.replace("['%FILES%']", JSON.stringify(files)).replace('%VERSION%', version)
      this.emitFile({ type: 'asset', fileName: 'sw.js', source })
    },
  },
}

/** Lists the paths of the pages, so that the service answers other paths with 404. */
const pageList: Plugin = {
  name: 'page-list',
  apply: 'build',
  async generateBundle() {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('pages.ts', import.meta.url))],
      bundle: true,
      external: ['*.tsx'],
      format: 'esm',
      write: false,
    })
    const program = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`
    const { pages } = (await import(program)) as { pages: readonly Page[] }
    const source = JSON.stringify(pages.map(({ path, title, sandbox }) => ({ path, title, sandbox })))
    this.emitFile({ type: 'asset', fileName: 'pages.json', source })
  },
}

/**
 * Writes a `.br` and a `.gz` for every file of at least 512 bytes, so that the service does not compress on requests.
 */
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

/**
 * Contains what start pages and lists show, without comboboxes, dialogs and forms, which have as much code as
 * everything here.
 */
const in_frame = new RegExp(
  [
    '/web/api/|/@tanstack/(react-)?query',
    '/web/(kinds\\.tsx|proof-key\\.ts)$',
    '/web/forms/(validation|error-focus|single-field)\\.ts$',
    '/web/ui/(frame|format|app-logo|confirm|confirm-call|copy-button|description-list|dialog|external-link|notify|paged-list)\\.tsx?$',
    '/web/ui/(chart|data-table|day-range|download-button|filter|hold-days|how-far-back|list-buttons|page-tabs|rows|select)(\\.rules)?\\.tsx?$',
    '/web/pages/build/(app-badges|payments/payment-table|payments/series|webhooks/webhook)\\.tsx?$',
    '/web/ui/(debounced-field|grant-of|tier-mark|tile|url-state|waiting-rewards)\\.tsx?$',
    '/@mantine/core/.*/(Input|TextInput|Textarea|NativeSelect|Avatar|Progress|ColorSwatch|SegmentedControl|FloatingIndicator|Switch|InlineInput)/',
    '/Checkbox/CheckIcon\\.mjs$|/create-event-handler\\.mjs$|/web/proof-key\\.ts$|/web/forms/list-input\\.tsx$',
  ].join('|'),
)

/** The parts of lists and start pages that several pages share, without the forms of their areas. */
const in_lists = new RegExp(
  [
    '/web/pages/account/(movement-drawer|movement-table|movements|points-chart)\\.tsx?$',
    '/web/pages/people/(friend-relations|outbox|person-actions|person-row|place|points-dialog|points-reads)\\.tsx?$',
    '/web/pages/people/(report-button|use-events|use-presence)\\.tsx?$',
  ].join('|'),
)
/** The same for admins, with the parts of the contract that only their pages read. */
const in_lists_of_admins =
  /\/contract\/(?:admin|moderation|kinds\/audit)|\/web\/pages\/admin\/(?:app-link|audit-sentence|case-texts|list-card|person-link|search|status-badge)\.tsx?$/

/** Dialogs and drop-down lists: no page shows one in its first paint. */
const in_overlays = new RegExp(
  [
    '/@floating-ui/|/@mantine/core/.*/(Popover|Combobox|Select|ModalBase|Modal|Drawer)/',
    '/web/ui/(confirm-dialog|guarded-dialogs|loaded-select)\\.tsx$',
  ].join('|'),
)

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    contract(),
    texts(),
    react(),
    preloads,
    earlyCompilation,
    fontLicence,
    docsScript,
    serviceWorker,
    pageList,
    precompressed,
  ],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // No inline assets: the content security policy forbids inline code, and allows data: URLs only for images.
    assetsInlineLimit: 0,
    // One style sheet, so that the first page does not affect the order of its rules.
    cssCodeSplit: false,
    rolldownOptions: {
      // Imports into `shared` stay dynamic for `base`.
      checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
      // Few chunks instead of 200 small ones. The first starts loading the page; the console has React, the router and
      // what every page needs; the frame has what most pages of signed-in users need; the others have what pages share,
      // what pages of one area share, and the overlays that any page may open later.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            { name: 'console', test: /\/web\/console\.tsx$/ },
            { name: 'frame', test: in_frame },
            { name: 'overlays', test: in_overlays },
            { name: 'virtual', test: /\/@tanstack\/(?:react-)?virtual|\/web\/ui\/virtual-rows\.tsx$/ },
            { name: 'shared', test: /\/web\/(?!pages\/)|\/@mantine\//, minShareCount: 2 },
            { name: 'lists', test: in_lists },
            { name: 'lists-of-admins', test: in_lists_of_admins },
            // Deployments belong to apps: their pages use the chunk `build`.
            { name: 'build', test: /\/web\/pages\/(?:build|deployments)\//, minShareCount: 2 },
            {
              name: (id) => /\/web\/pages\/([\w-]+)\/(?!award-form|user-picker)/.exec(id)?.[1] ?? null,
              minShareCount: 2,
            },
            { name: 'dialogs', test: /\/web\/(?:ui\/(?:palette|leave-dialog)|session\/sign-in-again)\.tsx$/ },
          ],
        },
      },
    },
    // Browsers without modulepreload load the same files later.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  // For `npm run dev`: the service listens on PORT. Modules of web/api are not paths of it.
  server: {
    proxy: {
      '^/(api(?!/[\\w-]+\\.ts\\b)|health|livez|readyz|docs|\\.well-known|logos)': `http://localhost:${process.env.PORT ?? 3000}`,
    },
  },
})
