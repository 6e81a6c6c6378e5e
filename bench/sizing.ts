import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { measureCalls } from './calls.ts'
import { measureReaders } from './readers.ts'
import { measureStandby } from './standby.ts'

/**
 * `npx tsx bench/sizing.ts [calls] [readers] [standby]` after `npm run build`: the cost of a call for each side with 1, 2 and 4
 * processes, of many event readers for one process, and of a standby. Updates bench/sizing.md while it runs, and keeps the parts that are not measured again.
 */
const parts: Record<string, (save: (table: string) => Promise<void>) => Promise<void>> = {
  calls: measureCalls,
  readers: measureReaders,
  standby: measureStandby,
}
const report_file = join(package_root, 'bench/sizing.md')
const begin = (part: string) => `<!-- ${part} -->\n`

/** The table of an earlier run, so that one part can be measured without the other. */
async function earlier(part: string) {
  const text = await readFile(report_file, 'utf8').catch(() => '')
  return text.split(begin(part))[1]?.split('\n<!-- ')[0]?.trim() ?? ''
}

const tables: Record<string, string> = {}
for (const part of Object.keys(parts)) tables[part] = await earlier(part)

const textOf = () =>
  [
    '# Costs, for sizing',
    `Made by \`npx tsx bench/sizing.ts\`: service, PostgreSQL (fsync on) and load generator share the machine. How to use the figures: ` +
      '[sizing](../docs/operating/sizing.md).',
    ...Object.entries(tables).map(([part, table]) => `${begin(part)}${table}`),
  ].join('\n\n')

const wanted = process.argv.slice(2)
for (const part of wanted)
  if (!(part in parts)) throw new Error(`there is no part ${part}: ${Object.keys(parts).join(', ')}`)
for (const [part, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(part)) continue
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`
  const measured = `Measured at ${new Date().toISOString().slice(0, 16)}Z on ${machine}; load average before: ${loadavg()[0]?.toFixed(2)}.`
  await measure(async (table) => {
    tables[part] = `${measured} ${table}`
    await writeFile(report_file, `${textOf()}\n`)
  })
}
process.stdout.write(`${textOf()}\n`)
