import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseConfig } from './config.ts'

/**
 * The secrets of SECRET_KEYS, or else a secret that the first start generates into the data folder, readable only by
 * its user.
 */
export async function readSecrets(
  { secret_keys }: Pick<DatabaseConfig, 'secret_keys'>,
  data_dir: string,
): Promise<[string, ...string[]]> {
  const [first, ...others] = secret_keys
  if (first !== undefined) return [first, ...others]
  const file = secretFile(data_dir)
  await mkdir(data_dir, { recursive: true, mode: 0o700 })
  // `wx` does not overwrite an existing file, nor one that another start is writing.
  await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return [(await readFile(file, 'utf8')).trim()]
}

const secretFile = (data_dir: string) => join(data_dir, 'secret.key')

/** The same secrets; undefined if there are none yet. */
export async function findSecrets(
  { secret_keys }: Pick<DatabaseConfig, 'secret_keys'>,
  data_dir: string,
): Promise<[string, ...string[]] | undefined> {
  const [first, ...others] = secret_keys
  if (first !== undefined) return [first, ...others]
  const generated = await readFile(secretFile(data_dir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return generated === undefined ? undefined : [generated.trim()]
}
