import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../platform/postgres/embedded/start.ts'
import { openLog } from '../platform/log.ts'
import { package_root } from '../platform/package.ts'
import { prepareDatabase } from '../processes/database.ts'
import { removeAbandonedNetworks } from './engine/network-fixture.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the tests' PostgreSQL, which has the migrated database `plaza_template`. */
    postgres: { host: string; user: string }
    /** A folder for bundled programs in `dist`, where they can find the packages. */
    programs: string
  }
}

const memory = '/dev/shm'
const room_bytes = 4e9

/**
 * Creates the folder of the tests' database, in memory if there is room. Ext4 creates files more slowly the more were deleted in the last
 * minutes, and a database has 900 files: after twenty databases were created and deleted, a clone of the template took 0.5 s of processor
 * time; in memory it always takes 0.02 s.
 */
async function makeFolder() {
  await removeLeftovers()
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return mkdtemp(join(free >= room_bytes ? memory : tmpdir(), `plaza-test-${process.pid}-`))
}

/** Frees the memory of killed runs. A PostgreSQL of theirs ends by itself once its folder is gone. */
async function removeLeftovers() {
  for (const name of await readdir(memory).catch(() => [])) {
    const pid = /^plaza-test-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      await rm(join(memory, name), { recursive: true, force: true }).catch(() => {})
  }
}

/** Starts one PostgreSQL for the whole run, with a migrated template database that test files clone. */
export default async function setup(project: TestProject) {
  const folder = await makeFolder()
  const postgres = await startEmbeddedPostgres({ data_dir: folder, fsync: false, trusts_local_users: true })
  const { host, user } = postgres.connection
  const admin = new pg.Pool({ ...postgres.connection })
  await admin.query('create database plaza_template')
  await admin.end()
  const pool = new pg.Pool({ host, user, database: 'plaza_template' })
  pool.on('error', () => {}).on('connect', () => {})
  await prepareDatabase(pool, openLog('silent'))
  await pool.end()
  project.provide('postgres', { host, user })
  const dist = join(package_root, 'dist')
  await mkdir(dist, { recursive: true })
  const programs = await mkdtemp(join(dist, 'test-'))
  project.provide('programs', programs)
  return async () => {
    // The workers have ended, but not the container engines that their files shared.
    await removeAbandonedNetworks()
    await postgres.stop()
    await Promise.all([folder, programs].map((made) => rm(made, { recursive: true, force: true })))
  }
}
