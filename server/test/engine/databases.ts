import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'

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

/** A database as a first start makes it: without a row, for one test. All clones carry one installation's mark unless told. */
export async function emptyDatabase({ installation = false } = {}) {
  const { host, user } = inject('postgres')
  const name = `empty_${process.pid}_${++made}`
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${name} template plaza_template`)
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  if (installation) {
    const client = new pg.Client({ host, user, database: name })
    await client.connect()
    await client.query('update installation set id = gen_random_uuid()')
    await client.end()
  }
  return { connectionString: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}` }
}
