import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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
  plugins: [bareDecisions, react(), precompressed],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Everything is a file: the policy of our pages lets nothing inline run, and data: only for pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: { port: 5173, proxy: { '^/(api|health|docs|\\.well-known|logos)': 'http://localhost:3000' } },
})
