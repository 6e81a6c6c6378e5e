import { connect } from 'node:net'
import type { Port } from './reconciler.rules.ts'

const connect_ms = 2_000
/** An engine's own proxy accepts for a port that nobody listens on, and closes at once. */
const linger_ms = 250

/** Does something answer there? Opens a connection, as the router would, and sees that it stays open. */
export function answersAt({ host, port }: Port): Promise<boolean> {
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
        clearTimeout(timer)
        timer = setTimeout(() => end(true), linger_ms)
      })
      .on('data', () => end(true))
      .on('error', () => end(false))
      .on('end', () => end(false))
      .on('close', () => end(false))
  })
}
