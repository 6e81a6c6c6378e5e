import { neverSent, sqlState } from './errors.ts'
import type { Server, ServerRole } from './url.ts'

export interface ServerState {
  is_standby: boolean
  is_read_only: boolean
}

/** A connection to one of the servers. */
export interface Member {
  readonly server: Server | undefined
  isReadOnly(): boolean
  retire(reason: Error): void
}

/** If a server has not answered for this long, the next one is tried. */
const next_after_ms = 300

/**
 * The servers of one database, and the connections to them. Each connection chooses its server here. When a probe finds the server that
 * takes writes, connections to other servers, and those that cannot write, are retired.
 */
export class DatabaseServers {
  /** True if a write has failed because the disk is full and no write of the probe has succeeded since. */
  is_disk_full = false
  private readonly servers: readonly Server[]
  private readonly role: ServerRole
  private readonly members = new Set<Member>()
  /** The server that was chosen last is tried first. */
  private last: Server | undefined
  private searching: Promise<Server> | undefined

  constructor(servers: readonly Server[] = [], role: ServerRole = 'any') {
    this.servers = servers
    this.role = role
  }

  /**
   * The server for a connection: the first of the wanted role, in the order of `DATABASE_URL`. If there is none, one that answers, so that
   * reads continue. Undefined if there is only one. Fails if none answers, with the reason of each. Concurrent calls share one search.
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

  /** Retires the connections to other servers, and those that cannot write, because this one takes writes. */
  retireOthers(writable: Member) {
    for (const member of this.members) {
      const is_other_server = this.role !== 'any' && member.server !== writable.server
      if (is_other_server) member.retire(new Error('another server takes the writes'))
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
    const found = await firstPassing(order, async (server) => {
      try {
        const state = await visit(server)
        readable.add(server)
        return this.hasRole(state)
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

  private hasRole({ is_standby, is_read_only }: ServerState) {
    return this.role === 'any' || !(this.role === 'primary' ? is_standby : is_standby || is_read_only)
  }
}

/** The first item that passes a test. The next one is tested when the previous one has failed, or after `next_after_ms`. */
function firstPassing<Item>(items: readonly Item[], test: (item: Item) => Promise<boolean>): Promise<Item | undefined> {
  return new Promise((resolve) => {
    let started = 0
    let running = 0
    const next = () => {
      const item = items[started]
      if (item === undefined) return
      started++
      running++
      const later = setTimeout(next, next_after_ms)
      void test(item).then((passed) => {
        clearTimeout(later)
        running--
        if (passed) resolve(item)
        else next()
        if (running === 0 && started === items.length) resolve(undefined)
      })
    }
    next()
  })
}
