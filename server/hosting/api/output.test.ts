import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import { destroyDeployment, getDeploymentOutput, searchDeploymentOutput } from '../../../contract/deployments.ts'
import type { QueryOf } from '../../../contract/endpoint.ts'
import { race, sharedService } from '../../test/harness.ts'
import {
  sendAs,
  someContainerHost,
  someDeploymentOf,
  someHostingApp,
  withoutWaiting,
} from '../../test/hosting-world.ts'
import { addOutput, type TestLine } from '../../test/output.ts'
import { invalid, outcome, refused } from '../../test/refusals.ts'
import { registerSources, trimOutput, writeParts } from '../control/output/collector.store.ts'
import { packLines } from '../output.rules.ts'
import { purgeOutput } from './output.service.ts'
import { long_lifetimes } from '../../test/settings.ts'

const plaza = await sharedService(long_lifetimes)
await someContainerHost(plaza)
const { db } = plaza
const app = await someHostingApp(plaza)
const { kept_days, kept_after_destroy_days } = decisions.container_output
const begin = plaza.clock.now().getTime()
const day = 86_400

const someDeployment = () => someDeploymentOf(plaza, app)
async function search(id: string, query: QueryOf<typeof searchDeploymentOutput> = {}) {
  plaza.clock.advance(3)
  return app.api.result(searchDeploymentOutput, { params: { id }, query })
}
async function last(id: string, tail?: number) {
  plaza.clock.advance(3)
  const query = tail === undefined ? {} : { tail }
  return (await app.api.result(getDeploymentOutput, { params: { id }, query })).lines
}
const textsOf = (lines: { text: string }[]) => lines.map(({ text }) => text)
const numbered = (count: number, { text = (at: number) => `line ${at}`, from = 0, step = 1000 } = {}) =>
  Array.from({ length: count }, (_, at): TestLine => ({ at: begin + from + at * step, text: text(at + 1) }))
const partsOf = async (id: string) =>
  (
    await db.sql<{ count: number }>`select count(*)::integer as count from deploy_output where deployment_id = ${id}`
  )[0]!.count

test('D-64 lines of several containers are one output in the order of their times, with replica and release', async () => {
  const id = await someDeployment()
  await addOutput(db, id, numbered(30, { text: (at) => `one ${at}` }), { part: 7 })
  await addOutput(db, id, numbered(30, { text: (at) => `two ${at}`, from: 500 }), { part: 11, source: 'b', replica: 2 })
  await addOutput(db, id, [{ at: begin + 40_000, text: 'afterwards', kind: 'stderr' }], { source: 'c' })
  const expected = Array.from({ length: 30 }, (_, at) => [`one ${at + 1}`, `two ${at + 1}`]).flat()
  expect(textsOf(await last(id, 1000))).toEqual([...expected, 'afterwards'])
  const [before, newest] = await last(id, 2)
  expect(newest).toEqual({
    id: expect.any(String) as string,
    stream: 'stderr',
    at: new Date(begin + 40_000).toISOString(),
    replica: 1,
    release: 1,
    text: 'afterwards',
    note: null,
    dropped: 0,
  })
  expect(before).toMatchObject({ text: 'two 30', replica: 2, stream: 'stdout' })
  expect(await last(id, 0)).toEqual([])

  // Pages of any size add up to the same list; the id of a line is a cursor.
  const all = (await search(id, { limit: 1000 })).data
  expect(textsOf(all)).toEqual(['afterwards', ...expected.toReversed()])
  for (const limit of [1, 9, 61]) {
    const paged = []
    for (let cursor: string | undefined; ;) {
      const page = await search(id, { limit, ...(cursor !== undefined && { cursor }) })
      paged.push(...page.data)
      if (page.next_cursor === null) break
      expect(page.next_cursor).toBe(page.data.at(-1)?.id)
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all)
  }
  expect((await search(id, { cursor: all[10]!.id, limit: 5 })).data).toEqual(all.slice(11, 16))
})

test('D-64 the search: a case-insensitive text, a span of time, one replica, and all of them combined', async () => {
  const id = await someDeployment()
  await addOutput(db, id, numbered(100, { text: (at) => (at % 10 === 0 ? `Error (${at}): Ärger*` : `fine ${at}`) }), {
    part: 13,
  })
  await addOutput(db, id, numbered(100, { text: (at) => `ERROR ${at}` }), { source: 'b', replica: 2 })
  const found = async (query: QueryOf<typeof searchDeploymentOutput>) =>
    textsOf((await search(id, { limit: 1000, ...query })).data)
  expect(await found({ q: 'error' })).toHaveLength(110)
  expect(await found({ q: 'error', replica: 1 })).toHaveLength(10)
  expect(await found({ q: 'ärger*', replica: 1 })).toHaveLength(10)
  expect(await found({ q: '(30)' })).toEqual(['Error (30): Ärger*'])
  expect(await found({ q: '.*' })).toEqual([])
  const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString()
  expect(await found({ from: at(9), to: at(11) })).toEqual(['ERROR 11', 'fine 11', 'ERROR 10', 'Error (10): Ärger*'])
  expect(await found({ q: 'ERROR', replica: 1, from: at(9), to: at(30) })).toEqual([
    'Error (30): Ärger*',
    'Error (20): Ärger*',
    'Error (10): Ärger*',
  ])
  expect(await found({ replica: 3 })).toEqual([])
  const page = await search(id, { q: 'fine', limit: 5 })
  expect(textsOf(page.data)).toEqual(['fine 99', 'fine 98', 'fine 97', 'fine 96', 'fine 95'])
  expect(textsOf((await search(id, { q: 'fine', limit: 2, cursor: page.next_cursor! })).data)).toEqual([
    'fine 94',
    'fine 93',
  ])
})

test('D-64 notes in the output report missing lines', async () => {
  const id = await someDeployment()
  const lines: TestLine[] = [
    { at: begin, text: '', kind: 'gap' },
    { at: begin + 1, text: 'a' },
    { at: begin + 2, text: '12345', kind: 'dropped' },
    { at: begin + 3, text: '1', kind: 'dropped' },
    { at: begin + 4, text: '0+', kind: 'dropped' },
  ]
  await addOutput(db, id, lines)
  expect((await last(id)).map(({ note, dropped, text }) => [note, dropped, text])).toEqual([
    ['gap', 0, 'Lines before this one may be missing: the container host had deleted them before they were read.'],
    [null, 0, 'a'],
    ['dropped', 12_345, '12,345 lines were not kept here: the container wrote more than is kept.'],
    ['dropped', 1, '1 line was not kept here: the container wrote more than is kept.'],
    ['dropped', 0, 'Lines were not kept here: the container wrote more than is kept.'],
  ])
  expect((await search(id, { q: 'not kept' })).data).toEqual([])
})

test('D-64 a search that ends before it begins, or has an invalid cursor, is refused', async () => {
  const id = await someDeployment()
  const ask = (query: string) => sendAs(plaza, app, 'GET', `/${id}/output/search?${query}`)
  const span = 'from=2031-01-02T00:00:00Z&to=2031-01-01T00:00:00Z'
  expect(await ask(span)).toEqual(invalid('to', 'must be after from'))
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  for (const cursor of ['x', 'MS4yLjM9', encoded('1.0.1'), encoded('-1.1.1')])
    expect([cursor, ...(await ask(`cursor=${cursor}`))]).toEqual([
      cursor,
      ...invalid('cursor', 'is not a cursor of this list'),
    ])
})

test('D-64 lines that many workers write at once are stored once', async () => {
  const id = await someDeployment()
  const [row] = await registerSources(db, [{ deployment_id: id, source: 'c', replica: 1, generation: 1 }])
  const at_ns = BigInt(begin) * 1_000_000n
  const part = {
    source_id: row!.id,
    next_number: 1,
    added: 1,
    first_number: 1,
    lines: 1,
    bytes: 13,
    first_at: at_ns,
    last_at: at_ns,
    stdout_at: at_ns,
    stdout_count: 1,
    stderr_at: 0n,
    stderr_count: 0,
    dropped: 0,
    data: await packLines([{ kind: 'stdout', at_ns, text: 'once' }]),
  }
  const written = await race(plaza, 20, () => writeParts(db, [part]))
  expect(written.filter((ids) => ids.length > 0)).toEqual([[row!.id]])
  expect(textsOf(await last(id))).toEqual(['once'])
})

test('D-64 beyond the limits of number and size the oldest lines are deleted; other deployments keep theirs', async () => {
  const [full, large, other] = [await someDeployment(), await someDeployment(), await someDeployment()]
  await addOutput(db, full, numbered(100), { part: 10 })
  await addOutput(db, full, numbered(50, { from: 200_000 }), { part: 10, source: 'b', replica: 2 })
  await addOutput(db, large, numbered(20, { text: () => 'x'.repeat(988) }), { part: 1 })
  await addOutput(db, other, numbered(10))
  await trimOutput(db.adHoc, [full, large], { lines_max: 120, bytes_max: 15_000 })
  expect(textsOf(await last(full, 1000))[0]).toBe('line 31')
  expect(await last(full, 1000)).toHaveLength(120)
  expect(await last(large, 1000)).toHaveLength(15)
  expect(await last(other)).toHaveLength(10)
})

test('D-64 old output is deleted; output of destroyed deployments is deleted after its retention, and until then owners cannot read it', async () => {
  const [kept, gone] = [await someDeployment(), await someDeployment()]
  const now = plaza.clock.now().getTime()
  const old = { at: now - (kept_days * day - 60) * 1000, text: 'old' }
  for (const id of [kept, gone]) await addOutput(db, id, [old, { at: now, text: 'new' }], { part: 1 })
  plaza.clock.advance(7)
  await withoutWaiting(plaza, gone, () => app.api.result(destroyDeployment, { params: { id: gone } }))
  await db.sql`update deployments set status = 'destroyed', destroyed_at = ${plaza.clock.now()} where id = ${gone}`
  plaza.clock.advance(3)
  for (const endpoint of [getDeploymentOutput, searchDeploymentOutput])
    expect(outcome(await app.api.call(endpoint, { params: { id: gone }, query: {} }))).toEqual(refused('not_found'))
  const purge = () => purgeOutput({ db, clock: plaza.clock.now }, { rows_max: 1 })
  await purge()
  expect([await partsOf(kept), await partsOf(gone)]).toEqual([2, 2])
  plaza.clock.advance(120)
  await purge()
  expect([await partsOf(kept), await partsOf(gone)]).toEqual([1, 1])
  plaza.clock.advance(kept_after_destroy_days * day)
  await purge()
  expect([await partsOf(kept), await partsOf(gone)]).toEqual([1, 0])
  await db.sql`update deploy_output_sources set seen_at = ${plaza.clock.now()} where deployment_id = ${kept}`
  plaza.clock.advance(8 * day)
  await purge()
  const sources = await db.sql<{ deployment_id: string }>`
    select deployment_id from deploy_output_sources where deployment_id in (${kept}, ${gone})`
  expect(sources).toEqual([{ deployment_id: kept }])
})
