import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createCounters } from '../../platform/counts.ts'

/** Counts who is being served, and turns away who would be one too many for a deployment. */
export function countVisitors(visitors_max: number) {
  const counts = createCounters()
  let total = 0
  return {
    total: () => total,
    /** Does the work and answers true, unless the deployment has too many already. What is no deployment is not counted. */
    async admit(deployment_id: string | undefined, work: () => Promise<void>) {
      if (deployment_id === undefined) {
        await work()
        return true
      }
      if (counts.of(deployment_id) >= visitors_max) return false
      counts.add(deployment_id, 1)
      total++
      try {
        await work()
        return true
      } finally {
        total--
        counts.add(deployment_id, -1)
      }
    },
  }
}

export type Visitors = ReturnType<typeof countVisitors>

/** A connection on which nothing is asked is kept so long: longer than an edge proxy keeps it, so that it goes first. */
export const idle_connection_ms = 125_000

interface Use {
  /** Answers that are being sent, or wait for their turn. */
  answers: Set<ServerResponse>
  upgraded: boolean
}

/** Every connection of a server, and what is under way on it. */
export function watchSockets(server: Server) {
  const uses = new Map<Socket, Use>()
  const isIdle = ({ answers, upgraded }: Use) => answers.size === 0 && !upgraded
  server.on('connection', (socket) => {
    const use: Use = { answers: new Set(), upgraded: false }
    uses.set(socket, use)
    socket.once('close', () => {
      uses.delete(socket)
      // Node tells the answer that is being sent; those that wait for their turn behind it hear nothing.
      for (const res of use.answers) {
        if (res.socket !== null) continue
        res.destroy()
        res.emit('close')
      }
    })
  })
  server.on('request', ({ socket }, res) => {
    const use = uses.get(socket)
    if (!use) return
    use.answers.add(res)
    res.once('close', () => use.answers.delete(res))
  })
  server.on('upgrade', ({ socket }) => {
    const use = uses.get(socket)
    if (use) use.upgraded = true
  })
  const answersOf = (socket: Socket) => [...(uses.get(socket)?.answers ?? [])]
  return {
    /** Is an answer still owed on this connection? */
    isBusy: (socket: Socket) => answersOf(socket).length > 0,
    /** Has part of an answer been sent on it? */
    isAnswering: (socket: Socket) => answersOf(socket).some(({ headersSent }) => headersSent),
    /** Answers under way end their connection too, where they have not begun. */
    endWithNextAnswer() {
      for (const { answers } of uses.values()) {
        const newest = [...answers].at(-1)
        if (newest && !newest.headersSent) newest.shouldKeepAlive = false
      }
    },
    destroyAll() {
      for (const socket of uses.keys()) socket.destroy()
    },
    destroyIdle() {
      for (const [socket, use] of uses) if (isIdle(use)) socket.destroy()
    },
  }
}

export type Sockets = ReturnType<typeof watchSockets>

/** Runs `work` with a signal that is given when the connection closes before. */
export async function whileOpen<Result>(
  connection: Socket | ServerResponse,
  work: (gone: AbortSignal) => Promise<Result>,
) {
  const gone = new AbortController()
  const abort = () => gone.abort()
  connection.once('close', abort)
  try {
    return await work(gone.signal)
  } finally {
    connection.off('close', abort)
  }
}
