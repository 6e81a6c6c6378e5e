// Generates the program in `docs/agents.md`, `docs/decisions.md`, `docs/openapi.json`, `docs/operating/log-lines.md`, `docs/operating/metrics.md`, `docs/security/asvs.md`, the sorted languages, and the
// code that git ignores. With `--check` it only reports which of the files in git are stale. Needs no database: the composed app, which
// provides the document, does not connect before it is used.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { systemClock } from '../server/platform/clock.ts'
import { openDatabase } from '../server/platform/postgres/database.ts'
import { onPrimary } from '../server/platform/postgres/reads.ts'
import { openLog } from '../server/platform/log.ts'
import { outboxMailer } from '../server/platform/mail.ts'
import { package_root, package_version } from '../server/platform/package.ts'
import { openPasswords } from '../server/platform/passwords.ts'
import { openReadiness } from '../server/platform/readiness.ts'
import { publish_only, createInvalidationLog } from '../server/platform/batching/invalidation-bus.ts'
import { loadCourse } from '../server/learning/content.store.ts'
import { printAgentGuide } from './print-agent-guide.ts'
import { printAsvs } from './asvs.ts'
import { printCode } from './print-code.ts'
import { printDecisions } from './print-decisions.ts'
import { printDocument } from './print-document.ts'
import { printLogLines } from './print-log-lines.ts'
import { printMetrics } from './print-metrics.ts'
import { printTexts } from './print-texts.ts'

/** The contents of the generated files in git by path relative to the project's folder. */
async function printAll(): Promise<Record<string, string>> {
  const document = await openApiDocument()
  return {
    'docs/agents.md': printAgentGuide(),
    'docs/decisions.md': printDecisions(),
    'docs/operating/log-lines.md': await printLogLines(),
    'docs/operating/metrics.md': printMetrics(),
    'docs/security/asvs.md': printAsvs(),
    'docs/openapi.json': printDocument(document),
    ...(await printTexts()),
  }
}

async function openApiDocument() {
  const log = openLog('silent')
  const config = readConfig({})
  const db = openDatabase({ connection: {}, log })
  const app = buildApp({
    config,
    secrets: ['only for printing, signs nothing that is used'],
    db,
    reads: onPrimary(db),
    clock: systemClock,
    log,
    mailer: outboxMailer('.', config.mail.from),
    passwords: openPasswords(),
    version: package_version,
    invalidations: { ...publish_only, ...createInvalidationLog(1), isConnected: () => true, close: async () => {} },
    readiness: openReadiness(log),
    course: await loadCourse(config.learning_dir),
  })
  const response = await app.fastify.inject({ url: '/api/openapi.json' })
  return response.json<Record<string, unknown>>()
}

const printed = Object.entries(await printAll())
if (process.argv.includes('--check')) {
  for (const [path, content] of printed)
    if ((await readFile(join(package_root, path), 'utf8')) !== content) {
      console.error(`${path} is stale: run npm run print`)
      process.exitCode = 1
    }
} else {
  for (const [path, content] of printed) await writeFile(join(package_root, path), content)
}
printCode()
process.exit()
