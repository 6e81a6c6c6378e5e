import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../../server/platform/package.ts'

const at = (path: string) => join(package_root, path)
const filesOf = (folder: string, wanted: RegExp) =>
  readdirSync(at(folder), { recursive: true, encoding: 'utf8' }).filter((name) => wanted.test(name))

/** Files whose component another one shows. */
const shown_by: Record<string, string> = {
  'ui/bottom-bar.tsx': 'every page of a signed-in person on a phone',
  'ui/frame.tsx': 'around the page of signed-in people',
  'ui/guarded-dialogs.tsx': 'loaded by dialog.tsx',
  'ui/confirm-dialog.tsx': 'loaded by confirm.tsx',
  'ui/leave-dialog.tsx': 'shown by root.tsx',
  'ui/loaded-menu.tsx': 'loaded by menu.tsx',
  'ui/loaded-select.tsx': 'loaded by select.tsx',
  'ui/public-frame.tsx': 'around the page of visitors',
  'ui/root.tsx': 'around every page',
  'ui/waiting-count.tsx': 'in the menu of admins',
  'ui/tooltip.tsx': 'loaded by format.tsx',
  'ui/virtual-rows.tsx': 'in conversations, output and the audit log',
}

test('every component of web/ui and web/forms is on the page of components', () => {
  const page = filesOf('web/dev', /\.tsx$/)
    .map((name) => readFileSync(at(`web/dev/${name}`), 'utf8'))
    .join('\n')
  const components = ['ui', 'forms'].flatMap((folder) =>
    filesOf(`web/${folder}`, /\.tsx$/).map((name) => `${folder}/${name}`),
  )
  expect(components.length).toBeGreaterThan(40)
  const missing = components.filter((name) => !page.includes(`'../${name}'`) && !(name in shown_by))
  expect(missing).toEqual([])
  expect(Object.keys(shown_by).filter((name) => !components.includes(name))).toEqual([])
})
