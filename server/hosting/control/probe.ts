import { connect, isIPv4 } from 'node:net'
import type { Port } from './plan.rules.ts'

const connect_ms = 2_000
/** An engine's own proxy accepts for a port that nobody listens on, and closes as soon as it knows. */
const proxy_close_ms = 250

/**
 * Docker passes connections on in the kernel, to the program itself, except those to loopback and (before 27) IPv6: these
 * its proxy takes.
 */
const isProxied = (host: string) => !isIPv4(host) || host.startsWith('127.')

/** Does something answer there? Opens a connection, as the router would, and sees that it stays open. */
export function acceptsConnections({ host, port }: Port): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (answers: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answers)
    }
    let timer = setTimeout(() => end(false), connect_ms)
    socket
      .on('connect', () => {
        if (!isProxied(host)) return end(true)
        clearTimeout(timer)
        timer = setTimeout(() => end(true), proxy_close_ms)
      })
      .on('data', () => end(true))
      .on('error', () => end(false))
      .on('end', () => end(false))
      .on('close', () => end(false))
  })
}
