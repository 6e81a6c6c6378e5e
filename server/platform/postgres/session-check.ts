import { Connection, type ConnectionConfig } from './connection.ts'

/** With other clients on the same pooler, one round may miss it. */
const rounds = 5

const backendOf = async (client: Connection) => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/**
 * Checks that each connection is a separate session. A pooler in transaction or statement mode gives every transaction any server
 * connection, so that two clients share one, or one client uses two.
 */
export async function hasSessions(connection: ConnectionConfig): Promise<boolean> {
  const config = { ...connection, application_name: 'plaza-check' }
  const [one, other] = [new Connection(config), new Connection(config)]
  try {
    await one.connect()
    await other.connect()
    const own = await backendOf(one)
    for (let round = 0; round < rounds; round++) {
      // While this transaction is open, a pooler must give the first client another server connection.
      await other.query('begin')
      const is_shared = (await backendOf(other)) === own || (await backendOf(one)) !== own
      await other.query('rollback')
      if (is_shared) return false
    }
    return true
  } catch (error) {
    if (/statement pooling/i.test((error as Error).message)) return false
    throw error
  } finally {
    await Promise.all([one, other].map((client) => client.end().catch(() => {})))
  }
}
