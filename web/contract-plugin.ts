import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const folder = fileURLToPath(new URL('../contract/', import.meta.url))

/** The parts of a declaration that only the service and the documentation read. */
const unread = new Set([
  'tag',
  'description',
  'response',
  'events',
  'fails',
  'failure_fields',
  'limit',
  'decision',
  'origin',
])
/** Functions of the contract that add only documentation to a schema, which is the second argument. */
const notes = new Set(['described', 'decided'])

interface Node {
  type: string
  start: number
  end: number
  [child: string]: unknown
}

interface Call extends Node {
  callee: Node & { name?: string }
  arguments: Node[]
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode)

type Edit = readonly [start: number, end: number, replacement: string]

/**
 * Removes the unread parts of a declaration, and reduces a documenting call to its schema; other calls only return a
 * value.
 */
function editsOfCall({ callee, arguments: given, start, end }: Call): Edit[] {
  const second = given[1]
  if (callee.name === 'endpoint' && second) {
    const parts = second.properties as (Node & { key?: { name?: string } })[]
    return parts.filter(({ key }) => unread.has(key?.name ?? '')).map((part) => [part.start, part.end, '...{}'])
  }
  if (notes.has(callee.name ?? '') && second)
    return [
      [start, second.start, ''],
      [second.end, end, ''],
    ]
  return [[start, start, '/* @__PURE__ */ ']]
}

/** The edits of a module, except in the bodies of its functions. */
function editsOf(node: Node): Edit[] {
  if (/Function/.test(node.type)) return []
  const own = node.type === 'CallExpression' ? editsOfCall(node as Call) : []
  return [...own, ...childrenOf(node).flatMap(editsOf)]
}

/**
 * Removes the parts of the contract that browsers do not read: responses, failures and descriptions, and so the schemas
 * that only those use. This is two thirds of the contract.
 */
export function contract(): Plugin {
  return {
    name: 'contract',
    enforce: 'pre',
    transform: {
      filter: { id: /\/contract\/.*\.ts$/ },
      handler(code, id) {
        if (!id.startsWith(folder)) return undefined
        const program = this.parse(code, { lang: 'ts' }) as unknown as Node
        let [result, at] = ['', 0]
        for (const [start, end, text] of editsOf(program).toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
          // Inside a removed part.
          if (start < at) continue
          result += code.slice(at, start) + text
          at = end
        }
        return { code: result + code.slice(at), map: null, moduleSideEffects: false }
      },
    },
  }
}
