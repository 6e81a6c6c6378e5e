import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const ignored = new Set(['node_modules', 'dist', 'data', 'data-sandbox'])

/** The paths of all Markdown documents below a folder. */
export function documentsIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignored.has(entry.name) || entry.name === '.git' ? [] : documentsIn(root, path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

const withoutCode = (text: string) => text.replaceAll(/^(`{3,}).*\n[^]*?^\1$/gm, '')

/** The anchors of a document's headings, as GitHub generates them. */
export const anchorsOf = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Links and source files in a document that do not exist. */
export function brokenReferences(root: string, path: string): string[] {
  const text = withoutCode(readFileSync(join(root, path), 'utf8'))
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(([, a, b]) => a ?? b ?? '')
  const files = [...text.matchAll(/`((?:client|contract|scripts|server|web)\/[\w./-]+\.\w+)`/g)].map(
    ([, file = '']) => file,
  )
  return [
    ...links.filter((link) => !/^[a-z]+:/.test(link) && !leads(root, path, link)),
    ...files.filter((file) => !existsSync(join(root, file)) && !existsSync(join(root, dirname(path), file))),
  ]
}

function leads(root: string, from: string, link: string) {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? from : normalize(join(dirname(from), file))
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(readFileSync(join(root, target), 'utf8')).includes(anchor)
}
