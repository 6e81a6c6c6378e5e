import { appCredentials, createPkce, isPlazaError, openPlaza } from '@plaza/client'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { CliError, failureOf, usage } from './failures.ts'
import { addressOf, loginPath, readLoginFile, removeLoginFile, writeLoginFile, type Login } from './login-file.ts'
import { openOutput } from './output.ts'

const wait_ms = 600_000

interface LoginOptions {
  json?: true
  browser: boolean
}

/**
 * Signs this machine in (D-157): opens the console, where a person chooses an app; waits for the code on 127.0.0.1;
 * exchanges it for a key that only this user of the machine can read.
 */
export async function logIn(given: string | undefined, { json, browser }: LoginOptions, signal: AbortSignal) {
  const output = openOutput(json === true)
  const known = given ?? (process.env.PLAZA_URL || (await readLoginFile().catch(() => undefined))?.url)
  if (known === undefined) throw usage('Name the address of Plaza: plaza login https://plaza.example')
  const url = addressOf(known)
  try {
    const plaza = openPlaza({ url, signal, retries: 0 })
    await plaza.health()
    const { code_verifier, code_challenge } = await createPkce()
    const state = randomBytes(32).toString('base64url')
    const code = await codeFromConsole(state, signal, (port) => {
      const query = new URLSearchParams({ port: String(port), state, code_challenge, name: hostname() })
      const address = `${url}/cli?${query.toString()}`
      process.stderr.write(`Open this address in a browser on this machine:\n\n  ${address}\n\n`)
      if (browser) openBrowser(address)
    })
    const key = await plaza.redeemCliCode({ code, code_verifier })
    // Another sign-in may have ended in the meantime.
    const earlier = await readLoginFile().catch(() => undefined)
    await writeLoginFile({ url, ...key })
    // Nothing on this machine uses the earlier key any more.
    if (earlier)
      await deleteKey(earlier, signal).catch(() =>
        process.stderr.write(
          'The earlier key is not deleted: delete it in the console, in the app under Developers.\n',
        ),
      )
    const { app_id, client_id, secret_expires_at } = key
    output.result(
      { url, app_id, client_id, secret_expires_at },
      `${output.style('green', '✓')} Signed in at ${url} for the app ${client_id}, until ${secret_expires_at}.`,
    )
  } catch (error) {
    throw failureOf(error, url)
  }
}

/** Waits for the browser to deliver a code. Fails if the person cancels, and after ten minutes. */
async function codeFromConsole(state: string, signal: AbortSignal, onListening: (port: number) => void) {
  const server = createServer()
  const answered = codeOf(server, state)
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening', { signal })
    onListening((server.address() as AddressInfo).port)
    const timer = AbortSignal.timeout(wait_ms)
    const ended = once(AbortSignal.any([signal, timer]), 'abort').then(() => {
      if (signal.aborted) throw new CliError('interrupted', 'Interrupted.')
      throw new CliError('unknown_outcome', 'Nobody answered in the browser within ten minutes.')
    })
    ended.catch(() => {})
    return await Promise.race([answered, ended])
  } finally {
    server.close()
    server.closeIdleConnections()
  }
}

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Plaza</title>` +
  `<body style="font:18px system-ui;margin:20vh auto;max-width:30em;padding:0 1em">${text}</body>`

/** The code of the first request with the right state; other requests get 400 and change nothing. */
const codeOf = (server: Server, state: string) =>
  new Promise<string>((resolve, reject) => {
    server.on('request', ({ method, url = '/', headers }, answer) => {
      const { pathname, searchParams: query } = new URL(url, 'http://127.0.0.1')
      const is_ours = headers.host?.startsWith('127.0.0.1:') && method === 'GET' && pathname === '/'
      const send = (status: number, text: string) =>
        answer.writeHead(status, { 'content-type': 'text/html; charset=utf-8', connection: 'close' }).end(page(text))
      if (!is_ours || query.get('state') !== state)
        return void send(400, 'This is not the sign-in that the terminal waits for.')
      const code = query.get('code')
      if (code === null) {
        send(200, 'Cancelled. You can close this page.')
        return reject(new CliError('refused', 'The sign-in was cancelled in the browser.', { code: 'access_denied' }))
      }
      send(200, 'The terminal is signed in. You can close this page.')
      resolve(code)
    })
  })

function openBrowser(address: string) {
  const [command, ...args]: [string, ...string[]] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  // Without a browser, the printed address is enough.
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** Signs this machine out: deletes the key at Plaza, and always its file. */
export async function logOut({ json }: { json?: true }, signal: AbortSignal) {
  const output = openOutput(json === true)
  const login = await readLoginFile()
  await removeLoginFile()
  if (!login) return output.result({ signed_out: false }, 'You were not signed in.')
  await deleteKey(login, signal).catch((error: unknown) => {
    const failure = failureOf(error, login.url)
    failure.message += `\n${loginPath()} is deleted, but the key is not: delete it in the console, in the app under Developers.`
    throw failure
  })
  output.result({ signed_out: true }, 'Signed out. The key is deleted.')
}

/** Deletes the key at Plaza. A key that is gone already counts as deleted. */
async function deleteKey(login: Login, signal: AbortSignal) {
  const credentials = appCredentials(login)
  try {
    await openPlaza({ url: login.url, credentials, signal, retries: 1, timeout_seconds: 10 }).deleteOwnSecret()
  } catch (error) {
    if (!isPlazaError(error, 'invalid_client')) throw error
  }
}
