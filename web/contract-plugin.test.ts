import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseAst } from 'vite'
import { contract } from './contract-plugin.ts'

const folder = fileURLToPath(new URL('../contract/', import.meta.url))
const { handler } = contract().transform as {
  handler: (this: { parse: typeof parseAst }, code: string, id: string) => { code: string } | undefined
}
const transform = (code: string, name: string) =>
  handler.call({ parse: parseAst }, code, join(folder, name))?.code ?? ''

test('house 3: browsers get the method, path and input of an endpoint, without its response, tag and description', () => {
  const code = `export const read = endpoint('GET /api/x', { tag: 'X', auth, query, response: { 200: big }, description: 'D' })`
  const result = transform(code, 'x.ts')
  expect(result).toContain(`'GET /api/x'`)
  expect(result).toContain('auth, query')
  expect(result).not.toMatch(/big|tag|description/)
})

test('house 3: each module of the contract is reduced to a valid module', () => {
  for (const name of readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file))) {
    const code = readFileSync(join(folder, name), 'utf8')
    const result = transform(code, name)
    expect(() => parseAst(result, { lang: 'ts' }), name).not.toThrow()
    expect(result.match(/\bendpoint\('/g)?.length, name).toBe(code.match(/\bendpoint\('/g)?.length)
  }
})
