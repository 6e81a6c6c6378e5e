import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { movement_id } from '../../contract/fields.ts'
import { package_root } from '../../server/platform/package.ts'
import { buildConsole } from '../../server/test/build.ts'

await buildConsole()

test('the page of components and the descriptions of the contract are not in the built console', () => {
  const code = builtText('.js')
  expect(code).not.toMatch(/\/dev\/components|The parts of web\/ui/)
  const { description } = movement_id as { description?: string }
  expect([typeof description, code.includes(description ?? '')]).toEqual(['string', false])
})

/** The library's names of classes in a text. */
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))

/** All files of the built console with an ending. */
const builtText = (ending: string) => {
  const folder = join(package_root, 'dist/web/assets')
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}

test('ui/mantine.css has the styles of every component that is used, and no others', () => {
  const folder = join(package_root, 'node_modules/@mantine/core/styles')
  const listed = readFileSync(join(package_root, 'web/ui/mantine.css'), 'utf8')
  const used = classesIn(builtText('.js'))
  const wrong = readdirSync(folder)
    .filter((name) => /^[A-Z]\w+\.css$/.test(name))
    .filter((name) => {
      const is_used = [...classesIn(readFileSync(join(folder, name), 'utf8'))].some((one) => used.has(one))
      return is_used !== listed.includes(`/${name}'`)
    })
  expect(wrong).toEqual([])
})
