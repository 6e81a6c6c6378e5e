import { connect, isIPv4 } from 'node:net'
import type { Port } from './plan.rules.ts'

const connect_ms = 2_000
/** Docker's userland proxy accepts for a port without a listener, and closes the connection after its own attempt failed. */
const proxy_close_ms = 250

/**
 * Docker forwards connections in the kernel, straight to the program. Its userland proxy takes those to loopback and, before
 * version 27, to IPv6.
 */
const isProxied = (host: string) => !isIPv4(host) || host.startsWith('127.')

/** Whether a program listens there: a connection, as the router would open it, succeeds and stays open. */
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
