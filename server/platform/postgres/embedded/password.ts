import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from './error.ts'
import { dataArgument, processOptions, superuser, type Location } from './location.ts'

/** In the folder of the database, so that a copy of it has its password. Only the owner of the database reads it. */
const password_file = 'plaza.password'

/** The password of the superuser; undefined where the database was made by an earlier version, and its server asks for none. */
export const readPassword = (database_dir: string) =>
  fs.readFile(join(database_dir, password_file), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })

/**
 * Gives the superuser a password, and lets the server ask everybody for it, in a database that does not run. Safe to repeat after a kill:
 * the file is written last, and as long as it is missing all is done anew.
 */
export async function setPassword(location: Location, binaries: string, folder: string): Promise<void> {
  const password = randomBytes(32).toString('base64url')
  await executeAlone(location, binaries, { folder, statement: `alter role ${superuser} password '${password}'` })
  const access = join(folder, 'pg_hba.conf')
  const rules = await fs.readFile(access, 'utf8')
  await write(location, access, rules.replaceAll(/^(?!\s*#)(.*\S\s+)trust\s*$/gm, '$1scram-sha-256'))
  await write(location, join(folder, password_file), password)
}

/** Runs a statement in PostgreSQL's single-user mode, which asks nobody for a password. */
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

/** Replaces a file, which the owner of the database alone may read. */
async function write({ run_as }: Location, path: string, content: string): Promise<void> {
  await fs.writeFile(`${path}.new`, content, { mode: 0o600 })
  if (run_as) await fs.chown(`${path}.new`, run_as.uid, run_as.gid)
  await fs.rename(`${path}.new`, path)
}
