import { expect } from 'vitest'
import type { TestService } from './harness.ts'
import { PostgresNode } from './postgres-node.ts'
import { raw } from './world.ts'

export const spendOnce = (plaza: TestService, token: string, key: string) =>
  raw(plaza, 'POST', '/api/external/points/spend', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ amount: 1 }),
  })

/** A primary and a standby with synchronous replication. */
export async function synchronousPair() {
  const primary = await PostgresNode.primary()
  await primary.query('create database plaza')
  const standby = await primary.standby('standby')
  await primary.query("alter system set synchronous_standby_names = 'standby'")
  await primary.query('select pg_reload_conf()')
  const isSynchronous = () => primary.query("select 1 from pg_stat_replication where sync_state = 'sync'")
  await expect.poll(isSynchronous).toHaveLength(1)
  return { primary, standby }
}

export const readiness = async (plaza: TestService) => (await raw(plaza, 'GET', '/readyz')).status
