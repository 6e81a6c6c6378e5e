import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../platform/postgres/embedded/start.ts'
import { openLog } from '../platform/log.ts'
import { package_root } from '../platform/package.ts'
import { prepareDatabase } from '../processes/database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the tests' PostgreSQL, which has the migrated database `plaza_template`. */
    postgres: { host: string; user: string }
    /** A folder for bundled programs, in `dist`, from where they find the packages. */
    programs: string
  }
}

/** Starts one PostgreSQL for the whole run, with a migrated template database that test files clone. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-test-'))
  const postgres = await startEmbeddedPostgres({ data_dir: folder, fsync: false })
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
    await postgres.stop()
    await Promise.all([folder, programs].map((made) => rm(made, { recursive: true, force: true })))
  }
}
