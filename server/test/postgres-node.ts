import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { prepareBinaries } from '../platform/postgres/embedded/binaries.ts'
import { createDatabase } from '../platform/postgres/embedded/database.ts'
import { dataArgument, openLocation, processOptions, type Location } from '../platform/postgres/embedded/location.ts'
import { run } from '../platform/postgres/embedded/processes.ts'

interface NodeOptions {
  fsync: boolean
  /** Registers what stops the server and removes its data. */
  atEnd(close: () => Promise<void>): void
}

const for_tests: NodeOptions = { fsync: false, atEnd: onTestFinished }

/** A PostgreSQL server for one test, which may kill it, demote it or fill its disk. */
export class PostgresNode {
  readonly location: Location
  private readonly binaries: string
  private readonly options: NodeOptions
  private child: ChildProcess | undefined

  private constructor(place: Location, binaries: string, options: NodeOptions) {
    this.location = place
    this.binaries = binaries
    this.options = options
  }

  /** The folder of its socket, which a client uses as the host. */
  get host() {
    return this.location.socket_dir
  }

  get pid() {
    return this.child?.pid ?? 0
  }

  /** Starts a server with a new database cluster. */
  static async primary(options: NodeOptions = for_tests): Promise<PostgresNode> {
    const node = await PostgresNode.at(options)
    await createDatabase(node.location, node.binaries, { fsync: options.fsync, trusts_local_users: true })
    await node.start()
    return node
  }

  private static async at(options: NodeOptions) {
    const folder = await mkdtemp(join(tmpdir(), 'plaza-node-'))
    // The other server may run as nobody and connects to this one's socket.
    await chmod(folder, 0o711)
    const place = await openLocation(folder, () => {})
    const node = new PostgresNode(place, await prepareBinaries(place), options)
    options.atEnd(async () => {
      await node.kill()
      // Child processes of a killed server may still write.
      await rm(place.data_dir, { recursive: true, force: true, maxRetries: 10 })
    })
    return node
  }

  /** Starts a standby of this server from a base backup, with streaming replication. */
  async standby(name: string): Promise<PostgresNode> {
    const node = await PostgresNode.at(this.options)
    const client = await this.connect()
    await client.query("select pg_backup_start('copy', true)")
    await run('cp', ['-a', this.location.database_dir, node.location.database_dir])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await client.end()
    for (const name of ['postmaster.pid', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
      await rm(join(node.location.database_dir, name), { force: true })
    await node.write('backup_label', rows[0]?.labelfile ?? '')
    await node.follow(this, name)
    await node.start()
    return node
  }

  /** Configures the server as a standby of another one, from its next start on. */
  async follow(primary: PostgresNode, name: string) {
    await this.write('standby.signal', '')
    const connection = `host=${primary.host} user=postgres application_name=${name}`
    const file = join(this.location.database_dir, 'postgresql.auto.conf')
    await appendFile(file, `primary_conninfo = '${connection}'\nrecovery_target_timeline = 'latest'\n`)
  }

  private async write(name: string, content: string) {
    const file = join(this.location.database_dir, name)
    await writeFile(file, content, { mode: 0o600 })
    if (this.location.run_as) await chown(file, this.location.run_as.uid, this.location.run_as.gid)
  }

  /** Starts the server and waits until it accepts connections. */
  async start() {
    const { location } = this
    const settings = {
      listen_addresses: '',
      unix_socket_directories: '.',
      fsync: this.options.fsync ? 'on' : 'off',
      max_connections: 100,
      shared_buffers: '32MB',
      wal_keep_size: '256MB',
      wal_receiver_status_interval: '1s',
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(
      join(this.binaries, 'bin/postgres'),
      ['-D', dataArgument(location, location.database_dir), ...flags],
      {
        ...processOptions(location, location.database_dir),
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr = `${stderr}${chunk}`.slice(-2_000)
    })
    this.child = child
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}: ${stderr}`)
      const client = await this.connect().catch(() => undefined)
      await client?.end()
      if (client) return
      await new Promise((next) => setTimeout(next, 30))
    }
  }

  async connect(database = 'postgres') {
    const client = new pg.Client({ host: this.host, user: 'postgres', database })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async query<Row extends pg.QueryResultRow>(text: string, database?: string): Promise<Row[]> {
    const client = await this.connect(database)
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Kills the server's main process; its child processes exit by themselves. */
  async kill() {
    await this.end('SIGKILL')
  }

  async stop() {
    await this.end('SIGINT')
  }

  private async end(signal: NodeJS.Signals) {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
}

/** The URL of a database on several servers. */
export const databaseUrlOf = (database: string, nodes: PostgresNode[], attributes = 'read-write') =>
  `postgres:///${database}?host=${nodes.map(({ host }) => encodeURIComponent(host)).join(',')}&user=postgres` +
  `&target_session_attrs=${attributes}`
