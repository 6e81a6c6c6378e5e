import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { cloneTemplate } from '../harness.ts'

let created = 0

/** A migrated database without deployments, for one test. `installation_id` replaces its own. */
export async function emptyDatabase({ installation_id }: { installation_id?: string } = {}) {
  const { host, user } = inject('postgres')
  const name = `empty_${process.pid}_${++created}`
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
