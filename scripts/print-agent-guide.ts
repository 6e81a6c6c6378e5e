import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'

const textOf = (path: string) => readFileSync(join(package_root, path), 'utf8')

/** The guide to agents with the program of `examples/agent` as it is now. */
export const printAgentGuide = () =>
  textOf('docs/agents.md').replace(
    /(```js id=agent-node\n)[^]*?(```\n)/,
    (_, open: string, close: string) => open + textOf('examples/agent/agent.mjs') + close,
  )
