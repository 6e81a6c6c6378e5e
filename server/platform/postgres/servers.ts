import { neverSent, sqlState } from './errors.ts'
import type { Server, ServerRole } from './url.ts'

export interface ServerState {
  is_standby: boolean
  is_read_only: boolean
}

/** A connection, as its servers see it. */
export interface Member {
  readonly server: Server | undefined
  isReadOnly(): boolean
  retire(why: Error): void
}

/** A server that is slow to answer keeps nobody from asking the next one. */
const next_after_ms = 300

/**
 * The servers that hold one database, and the connections to them. Each connection asks here where to go; when a probe has
 * found the server that takes writes, the connections that stand elsewhere, or cannot write, are ended.
 */
export class DatabaseServers {
  /** Whether a write has failed for want of space and none of the probe has succeeded since. */
  is_disk_full = false
  private readonly servers: readonly Server[]
  private readonly role: ServerRole
  private readonly members = new Set<Member>()
  /** Of several servers the one that served last is asked first. */
  private last: Server | undefined
  private searching: Promise<Server> | undefined

  constructor(servers: readonly Server[] = [], role: ServerRole = 'any') {
    this.servers = servers
    this.role = role
  }

  /**
   * Finds the server for a connection, undefined where there is no choice: one of the wanted role, in the order in which
   * they are named. While there is none, one that answers: reads go on. Fails when none answers, with each one's reason.
   * Connections that ask at the same time share one search.
   */
  async choose(visit: (server: Server) => Promise<ServerState>): Promise<Server | undefined> {
    if (this.servers.length < 2) return undefined
    this.searching ??= this.search(visit).finally(() => {
      this.searching = undefined
    })
    return this.searching
  }

  join(member: Member) {
    this.members.add(member)
  }

  leave(member: Member) {
    this.members.delete(member)
  }

  /** Ends the connections that serve worse than this one, which was found to take writes. */
  retireOthers(writable: Member) {
    for (const member of this.members) {
      const stands_elsewhere = this.role !== 'any' && member.server !== writable.server
      if (stands_elsewhere) member.retire(new Error('another server takes the writes'))
      else if (member.isReadOnly()) member.retire(new Error('a new session can write'))
    }
  }

  noteFullDisk() {
    this.is_disk_full = true
  }

  private async search(visit: (server: Server) => Promise<ServerState>): Promise<Server> {
    const failures: string[] = []
    const states: string[] = []
    const readable = new Set<Server>()
    const order = [...this.servers].sort((one, other) => Number(other === this.last) - Number(one === this.last))
    const found = await firstThat(order, async (server) => {
      try {
        const state = await visit(server)
        readable.add(server)
        return this.suits(state)
      } catch (error) {
        failures.push(`${server.host}:${server.port}: ${(error as Error).message}`)
        states.push(sqlState(error) ?? '')
        return false
      }
    })
    const server = found ?? order.find((candidate) => readable.has(candidate))
    if (!server)
      throw neverSent(Object.assign(new Error(`no server answers (${failures.join('; ')})`), { code: states[0] }))
    if (found) this.last = found
    return server
  }

  private suits({ is_standby, is_read_only }: ServerState) {
    return this.role === 'any' || !(this.role === 'primary' ? is_standby : is_standby || is_read_only)
  }
}

/** The first item that passes a test. An item is tested when the one before has failed, or after a while. */
function firstThat<Item>(items: readonly Item[], test: (item: Item) => Promise<boolean>): Promise<Item | undefined> {
  return new Promise((resolve) => {
    let begun = 0
    let running = 0
    const next = () => {
      const item = items[begun]
      if (item === undefined) return
      begun++
      running++
      const later = setTimeout(next, next_after_ms)
      void test(item).then((passed) => {
        clearTimeout(later)
        running--
        if (passed) resolve(item)
        else next()
        if (running === 0 && begun === items.length) resolve(undefined)
      })
    }
    next()
  })
}
