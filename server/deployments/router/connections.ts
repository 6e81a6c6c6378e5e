import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Counts who is being served, and turns away who would be one too many for a deployment. */
export function countVisitors(visitors_max: number) {
  const counts = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    /** Does the work and answers true, unless the deployment has too many already. What is no deployment is not counted. */
    async admit(deployment_id: string | undefined, work: () => Promise<void>) {
      if (deployment_id === undefined) {
        await work()
        return true
      }
      const count = counts.get(deployment_id) ?? 0
      if (count >= visitors_max) return false
      counts.set(deployment_id, count + 1)
      total++
      try {
        await work()
        return true
      } finally {
        total--
        const left = (counts.get(deployment_id) ?? 1) - 1
        if (left > 0) counts.set(deployment_id, left)
        else counts.delete(deployment_id)
      }
    },
  }
}

export type Visitors = ReturnType<typeof countVisitors>

/** Every connection of a server, and how many requests are under way on it. */
export function watchSockets(server: Server) {
  const under_way = new Map<Socket, number>()
  server.on('connection', (socket) => {
    under_way.set(socket, 0)
    socket.once('close', () => under_way.delete(socket))
  })
  const count = (socket: Socket, by: number) => {
    const before = under_way.get(socket)
    if (before !== undefined) under_way.set(socket, before + by)
  }
  server.on('request', ({ socket }, res) => {
    count(socket, 1)
    res.once('close', () => count(socket, -1))
  })
  server.on('upgrade', ({ socket }) => count(socket, 1))
  const destroyAll = () => {
    for (const socket of under_way.keys()) socket.destroy()
  }
  const destroyIdle = () => {
    for (const [socket, requests] of under_way) if (requests === 0) socket.destroy()
  }
  return { destroyAll, destroyIdle }
}

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
