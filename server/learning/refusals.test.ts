import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import * as contract from '../../contract/learning.ts'
import { startTestService } from '../test/harness.ts'
import * as cases from '../test/refusal-cases.ts'
import { fewer, invalid, outcome, refused, unstorable } from '../test/refusals.ts'
import { raw, someUser } from '../test/world.ts'

const path = `
title: First path
summary: The only one
modules:
  - module_number: 1
    title: Coins
    summary: What a coin is
    cooldown_days: 1
    steps:
      - { step_id: coin, title: A coin, reward: 10, body: About a coin. }
  - module_number: 2
    title: Blocks
    summary: How they hang together
    steps:
      - { step_id: block, title: A block, reward: 3, body: About a block. }
`
const folder = await mkdtemp(join(tmpdir(), 'plaza-refusals-'))
await writeFile(join(folder, 'first.yaml'), path)
afterAll(() => rm(folder, { recursive: true, force: true }))

const plaza = await startTestService({ LEARNING_DIR: folder, JWT_TTL: '31536000' })
const { name_max } = decisions.learning_content

/** One call of each endpoint that succeeds for Anna, except that her path is started and cannot be changed. */
const allowed = {
  listLearningPaths: {},
  listModules: {},
  chooseLearningPath: { body: { path: 'first' } },
  resetModule: { params: { module_number: 1 } },
  getModuleStatus: { params: { module_number: 1 } },
  completeStep: { params: { step_id: 'block' } },
} satisfies Record<string, cases.Sent>
type Name = keyof typeof allowed
const calls = Object.entries(allowed) as [Name, cases.Sent][]
const declared: Record<Name, Declaration> = { ...contract }

const [anna, newcomer] = [await someUser(plaza), await someUser(plaza)]
await anna.api.result(contract.chooseLearningPath, allowed.chooseLearningPath)
await anna.api.result(contract.completeStep, { params: { step_id: 'coin' } })
plaza.clock.advance(86_400)

const call = async (name: Name, change: cases.Sent = {}, { api } = anna) =>
  outcome(await cases.send(api, declared[name], { ...allowed[name], ...change }))

const writtenOnPurpose = cases.expectNoWrites(plaza, ['learners', 'step_completions', 'transfers', 'point_accounts'])

test('the calls of this file are those of all endpoints of the domain', () => {
  const mounted = plaza.service.app.endpoints.filter(({ tag }) => tag === 'Learning')
  expect(new Set(calls.map(([name]) => declared[name]))).toEqual(new Set(mounted))
})

test.each(await cases.credentialsForNoUser(plaza, anna))(
  'D-04: with %s every call is 401 %s, and nothing is written',
  async (_, code, token) => {
    const nobody = { ...anna, api: new PlazaClient(plaza.url, token) }
    for (const [name] of calls) expect([name, await call(name, {}, nobody)]).toEqual([name, refused(code)])
  },
)

test('D-04: learning-path: an invalid path is 422 and named in the error', async () => {
  const faults: cases.RefusedValues = [...cases.missing, ['', fewer(1)], ...cases.refusedTexts(name_max)]
  for (const [value, ...messages] of faults)
    expect([value, await call('chooseLearningPath', { body: { path: value } }, newcomer)]).toEqual([
      value,
      invalid('path', ...messages),
    ])
})

test.each([[[]], [null], ['text'], [7]])('D-04: learning-path: the body %j is not an object and 422', async (body) => {
  expect(await call('chooseLearningPath', { body }, newcomer)).toEqual(invalid('', 'must be object'))
})

test.each([
  ['application/json', '{', 400, 'Bad Request'],
  ['application/x-www-form-urlencoded', 'path=first', 415, 'Unsupported Media Type'],
  ['application/json', `{"path":"${'x'.repeat(2 ** 20)}"}`, 413, 'Payload Too Large'],
])('D-03: learning-path: a body of %s, %.12s, is refused unread: %d', async (type, body, status, detail) => {
  const headers = { authorization: `Bearer ${newcomer.token}`, 'content-type': type }
  const reply = await raw(plaza, 'POST', '/api/btc-progress/learning-path', { headers, body })
  expect(outcome(reply)).toEqual([status, { errors: { detail } }])
})

const modules = ['resetModule', 'getModuleStatus'] as const

test.each([
  ['', 'must be integer'],
  ['one', 'must be integer'],
  ['1.5', 'must be integer'],
  ['1e400', 'must be a finite number'],
  ['\0', unstorable],
])('D-04: the module_number %j is 422: %s', async (module_number, message) => {
  for (const name of modules)
    expect(await call(name, { params: { module_number } })).toEqual(invalid('module_number', message))
})

test.each([0, -1, 3, 99_999_999_999])('D-77: there is no module %d: 404', async (module_number) => {
  for (const name of modules) expect(await call(name, { params: { module_number } })).toEqual(refused('not_found'))
})

test('D-04: an invalid step_id is 422 and named in the error', async () => {
  const faults: cases.RefusedValues = [['', fewer(1)], ...cases.refusedUrlTexts(name_max)]
  for (const [step_id, ...messages] of faults)
    expect([step_id, await call('completeStep', { params: { step_id } })]).toEqual([
      step_id,
      invalid('step_id', ...messages),
    ])
})

test('D-77: before a path is chosen there is no module and no step: 404', async () => {
  for (const name of [...modules, 'completeStep'] as const)
    expect([name, await call(name, {}, newcomer)]).toEqual([name, refused('not_found')])
})

test('the unchanged calls of this file succeed, except the choice of a path', async () => {
  expect(await call('chooseLearningPath', {})).toEqual(refused('path_already_started'))
  for (const [name, sent] of calls.filter(([each]) => each !== 'chooseLearningPath'))
    expect([name, await cases.send(anna.api, declared[name], sent)]).toMatchObject([name, { ok: true }])
  await writtenOnPurpose()
})
