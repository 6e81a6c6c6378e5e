import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from './error.ts'
import { dataArgument, processOptions, superuser, type Location } from './location.ts'

/** In the folder of the database, so that a copy of the database includes its password. Only the owner can read it. */
const password_file = 'plaza.password'

/** The superuser's password; undefined if an earlier version created the database and its server requires none. */
export const readPassword = (database_dir: string) =>
  fs.readFile(join(database_dir, password_file), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })

/**
 * Sets a password for the superuser, and makes the server require it, in a database that does not run. Safe to repeat
 * after a kill: the file is written last, and while it is missing everything is done again.
 */
export async function setPassword(location: Location, binaries: string, folder: string): Promise<void> {
  const password = randomBytes(32).toString('base64url')
  await executeAlone(location, binaries, { folder, statement: `alter role ${superuser} password '${password}'` })
  const access = join(folder, 'pg_hba.conf')
  const rules = await fs.readFile(access, 'utf8')
  await write(location, access, rules.replaceAll(/^(?!\s*#)(.*\S\s+)trust\s*$/gm, '$1scram-sha-256'))
  await write(location, join(folder, password_file), password)
}

/** Runs a statement in PostgreSQL's single-user mode, which requires no password. */
async function executeAlone(
  location: Location,
  binaries: string,
  { folder, statement }: { folder: string; statement: string },
): Promise<void> {
  const args = ['--single', '-D', dataArgument(location, folder), 'postgres']
  const child = spawn(join(binaries, 'bin', 'postgres'), args, {
    ...processOptions(location, folder),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stdin.on('error', () => {})
  child.stdin.end(`${statement};\n`)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output))
    throw new Error(`PostgreSQL could not set its password: ${output.trim().split('\n').at(-1)}`)
}

/** Replaces a file that only the owner of the database may read. */
async function write({ run_as }: Location, path: string, content: string): Promise<void> {
  await fs.writeFile(`${path}.new`, content, { mode: 0o600 })
  if (run_as) await fs.chown(`${path}.new`, run_as.uid, run_as.gid)
  await fs.rename(`${path}.new`, path)
}
