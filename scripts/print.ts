import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../server/config.ts'
import { openLog } from '../server/kit/log.ts'
import { package_root } from '../server/kit/package.ts'
import { startService } from '../server/service.ts'
import { printDecisions } from './print-decisions.ts'

/** Writes what is printed from the code: `docs/decisions.md` and `docs/openapi.json`, the latter as a real service serves it. */
async function print() {
  await writeFile(join(package_root, 'docs/decisions.md'), printDecisions())
  const { servers: _, ...document } = await servedDocument()
  await writeFile(join(package_root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
}

async function servedDocument(): Promise<Record<string, unknown>> {
  const data_dir = await mkdtemp(join(tmpdir(), 'plaza-print-'))
  try {
    const config = readConfig({ DATA_DIR: data_dir, HOST: '127.0.0.1', PORT: '0' })
    const service = await startService({ config, log: openLog('error') })
    try {
      const response = await fetch(`${service.address}/api/openapi.json`)
      return (await response.json()) as Record<string, unknown>
    } finally {
      await service.stop()
    }
  } finally {
    await rm(data_dir, { recursive: true, force: true })
  }
}

await print()
