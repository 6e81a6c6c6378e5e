import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { cloneTemplate } from '../harness.ts'

const socket_name = '.s.PGSQL.5432'

/** A way to a database that can be cut and mended, for one test. */
export async function cuttableDatabase({ connectionString }: { connectionString: string }) {
  const url = new URL(connectionString.replace('postgres:///', 'postgres://x/'))
  const real = join(url.searchParams.get('host') ?? '', socket_name)
  const folder = await mkdtemp(join(tmpdir(), 'plaza-cut-'))
  const sockets = new Set<Socket>()
  let whole = true
  const server = createServer((caller) => {
    if (!whole) return caller.destroy()
    const database = connect(real)
    for (const socket of [caller, database]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          caller.destroy()
          database.destroy()
        })
    }
    return caller.pipe(database).pipe(caller)
  })
  await new Promise<void>((done) => server.listen(join(folder, socket_name), done))
  const cut = () => {
    whole = false
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(async () => {
    cut()
    await new Promise((done) => server.close(done))
    await rm(folder, { recursive: true, force: true })
  })
  url.searchParams.set('host', folder)
  return {
    connection: { connectionString: url.href.replace('postgres://x/', 'postgres:///') },
    cut,
    mend() {
      whole = true
    },
  }
}

let made = 0

/** A database as a first start makes it: without a row, for one test. `installation_id`: the mark of another that it carries. */
export async function emptyDatabase({ installation_id }: { installation_id?: string } = {}) {
  const { host, user } = inject('postgres')
  const name = `empty_${process.pid}_${++made}`
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await cloneTemplate(admin, { host, user, name })
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  if (installation_id !== undefined) {
    const client = new pg.Client({ host, user, database: name })
    await client.connect()
    await client.query('update installation set id = $1', [installation_id])
    await client.end()
  }
  return { connectionString: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}` }
}
