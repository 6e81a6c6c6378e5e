// Generates the code that git ignores: the types and calls of `@plaza/client`, and the keys of the console's texts. It only reads files, so
// it takes less than a second. Checks and tests call it before they start, and `npm ci` runs it for editors.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { package_root } from '../server/platform/package.ts'
import { printClient } from './print-client.ts'
import { printTextTypes } from './print-texts.ts'

/** Writes the generated code if it does not match `docs/openapi.json`, the contract or `languages/en.json`. */
export function printCode(): void {
  const read = (path: string) => JSON.parse(readFileSync(join(package_root, path), 'utf8')) as unknown
  const code = {
    'languages/texts.ts': printTextTypes(read('languages/en.json') as Record<string, string>),
    ...printClient(read('docs/openapi.json') as Record<string, unknown>),
  }
  for (const [path, text] of Object.entries(code)) writeChanged(join(package_root, path), text)
}

/** Does not touch a file that already has this text, so that nothing is built or checked again because of it. */
function writeChanged(path: string, text: string) {
  try {
    if (readFileSync(path, 'utf8') === text) return
  } catch {
    mkdirSync(dirname(path), { recursive: true })
  }
  writeFileSync(path, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printCode()
