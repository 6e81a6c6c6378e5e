import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError, usage } from './failures.ts'

/** The key of an app, as `plaza login` receives it. */
export interface Login {
  url: string
  app_id?: string
  client_id: string
  client_secret: string
  /** The expiry of the secret, if known. */
  secret_expires_at?: string
}

type Env = Readonly<Record<string, string | undefined>>

/** The path of the stored key (XDG Base Directory Specification). */
export const loginPath = (env: Env = process.env) =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'plaza', 'login.json')

/** The key on this machine; undefined if nobody has signed in. */
export async function readLoginFile(env: Env = process.env): Promise<Login | undefined> {
  try {
    return JSON.parse(await readFile(loginPath(env), 'utf8')) as Login
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CliError('failed', `${loginPath(env)} cannot be read. Delete it, and run “plaza login”.`)
  }
}

/** Stores the key in a file that only its owner can read; replaces an earlier one atomically. */
export async function writeLoginFile(login: Login, env: Env = process.env) {
  const path = loginPath(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}`
  await writeFile(next, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
  await chmod(next, 0o600)
  await rename(next, path)
}

export const removeLoginFile = (env: Env = process.env) => rm(loginPath(env), { force: true })

/** The key for calls, from the environment or the file. Throws a plain message if there is none or it has expired. */
export async function findLogin(env: Env = process.env, now = new Date()): Promise<Login> {
  const { PLAZA_CLIENT_ID: client_id = '', PLAZA_CLIENT_SECRET: client_secret = '', PLAZA_URL: url = '' } = env
  if ((client_id === '') !== (client_secret === ''))
    throw usage('Set both PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET, or none of them.')
  if (client_id !== '') {
    if (url === '') throw usage('Set PLAZA_URL too: the address of Plaza.')
    return { url: addressOf(url), client_id, client_secret }
  }
  const login = await readLoginFile(env)
  if (!login)
    throw new CliError(
      'not_signed_in',
      'You are not signed in. Run “plaza login”, or set PLAZA_URL, PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET.',
    )
  if (login.secret_expires_at !== undefined && new Date(login.secret_expires_at) <= now)
    throw new CliError('not_signed_in', `The key expired at ${login.secret_expires_at}. Run “plaza login” again.`)
  return url === '' ? login : { ...login, url: addressOf(url) }
}

/** The base address of Plaza. Throws if the text is not an address. */
export function addressOf(text: string) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usage(`“${text}” is not an address. Write it as https://plaza.example.`)
  return text.replace(/\/+$/, '')
}
