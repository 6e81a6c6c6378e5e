import { get } from 'node:http'
import { connect, isIPv4 } from 'node:net'
import type { Endpoint } from '../../containers.rules.ts'

const connect_ms = 2_000
/** Docker's userland proxy accepts connections to a port without a listener, and closes them after its own connection attempt failed. */
const proxy_close_ms = 250

/**
 * Docker forwards connections to the program in the kernel. Its userland proxy handles those to loopback and, before version 27, to IPv6.
 */
const isProxied = (host: string) => !isIPv4(host) || host.startsWith('127.')

/** `silent`: no answer, so the machine is down or unreachable. */
export type Answer = 'accepts' | 'refuses' | 'silent'

const silent_codes = ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ETIMEDOUT']

/** Tries a connection as the router would open it. `accepts`: the connection succeeds and stays open. */
export function probePort({ host, port }: Endpoint): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (answer: Answer) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    let timer = setTimeout(() => end('silent'), connect_ms)
    socket
      .on('connect', () => {
        if (!isProxied(host)) return end('accepts')
        clearTimeout(timer)
        timer = setTimeout(() => end('accepts'), proxy_close_ms)
      })
      .on('data', () => end('accepts'))
      .on('error', ({ code = '' }: NodeJS.ErrnoException) => end(silent_codes.includes(code) ? 'silent' : 'refuses'))
      .on('end', () => end('refuses'))
      .on('close', () => end('refuses'))
  })
}

/** Requests the path of a health check, if there is one. A program is healthy while it answers 2xx or 3xx. */
export async function probeHealth(port: Endpoint, path: string | null): Promise<Answer> {
  const answer = await probePort(port)
  return path === null || answer !== 'accepts' || (await answersWell(port, path)) ? answer : 'refuses'
}

const answersWell = ({ host, port }: Endpoint, path: string) =>
  new Promise<boolean>((resolve) => {
    const request = get({ host, port, path, agent: false, signal: AbortSignal.timeout(connect_ms) }, (response) => {
      response.destroy()
      resolve(response.statusCode! >= 200 && response.statusCode! < 400)
    })
    request.on('error', () => resolve(false))
  })
