import { decisions } from '../../contract/decisions.ts'
import { createDecipheriv, createECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { logout } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { sendDirectMessage } from '../../contract/conversations.ts'
import { field_errors } from '../../contract/field-errors.ts'
import type { NoticeKind } from '../../contract/kinds/notices.ts'
import * as contract from '../../contract/notice-devices.ts'
import { changeNoticeSetting } from '../../contract/notices.ts'
import { inspectKeys } from '../keys.ts'
import { race, startTestService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { befriend, requestedBy } from '../test/social-world.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })

interface Sent {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A push service: it answers each path with a set status and stores what it received. */
const sent: Sent[] = []
const statuses = new Map<string, number>()
const silent = new Set<string>()
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const path = request.url ?? ''
    sent.push({ path, headers: request.headers, body: Buffer.concat(parts) })
    if (silent.has(path)) return void request.destroy()
    response.writeHead(statuses.get(path) ?? 201).end()
  })
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
afterAll(() => server.close())
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** A browser with a subscription; it decrypts what it receives (RFC 8291 §3.3). */
function someBrowser() {
  const own = createECDH('prime256v1')
  own.generateKeys()
  const auth = randomBytes(16)
  const path = `/send/${randomUUID()}`
  const keys = { p256dh: own.getPublicKey().toString('base64url'), auth: auth.toString('base64url') }
  const read = ({ body }: Sent): unknown => {
    const [salt, theirs, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
    const derive = (key: Buffer, with_salt: Buffer, info: Buffer | string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', key, with_salt, info, bytes))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs])
    const secret = derive(own.computeSecret(theirs), auth, info, 32)
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
    const cipher = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12))
    cipher.setAuthTag(record.subarray(-16))
    const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
    return JSON.parse(plain.subarray(0, -1).toString())
  }
  return { path, endpoint: address + path, keys, read, got: () => sent.filter((one) => one.path === path) }
}

type Browser = ReturnType<typeof someBrowser>
const register = async (
  { api }: SomeUser,
  { endpoint, keys }: Browser,
  kinds: NoticeKind[] = ['friends'],
  with_texts?: boolean,
) =>
  api.call(contract.registerDevice, {
    body: { endpoint, keys, kinds, ...(with_texts !== undefined && { with_texts }) },
  })
const devicesOf = async ({ api }: SomeUser) => (await api.result(contract.listDevices)).devices

/** The errors of retried push messages, once each was tried. */
async function tried() {
  const jobs = () => plaza.service.db.sql<{ attempts: number; locked: boolean; last_error: string | null }>`
    select j.attempts, j.locked_at is not null as locked, j.last_error
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'notices.push'`
  const waiting = async () => (await jobs()).filter(({ attempts, locked }) => attempts === 0 || locked)
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  return (await jobs()).map(({ last_error }) => last_error)
}

test('D-160: a notice is pushed to the devices that want its kind, encrypted and signed, in the language of the person', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const [phone, other] = [someBrowser(), someBrowser()]
  const registered = await register(berta, phone)
  expect(registered.status).toBe(200)
  await register(berta, other, ['points'])
  expect(await devicesOf(berta)).toEqual([
    expect.objectContaining({ kinds: ['friends'], is_this_session: true }),
    expect.objectContaining({ kinds: ['points'], is_this_session: true }),
  ])
  await requestedBy(anna, berta)
  expect(await tried()).toEqual([])
  const [message, ...more] = phone.got()
  expect([more, other.got()]).toEqual([[], []])
  expect(phone.read(message!)).toEqual({
    kind: 'friends',
    title: `${anna.username} asks to be your friend`,
    link: '/friends',
    tag: expect.any(String) as string,
  })
  const { public_key } = await berta.api.result(contract.listDevices)
  expect(message!.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' })
  expect(message!.headers.authorization).toMatch(new RegExp(`^vapid t=[\\w.-]+, k=${public_key}$`))
})

test('D-160: a direct message is pushed once until it is read, with its text only to the device that requested it', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  await befriend(anna, berta)
  const [phone, other] = [someBrowser(), someBrowser()]
  await register(berta, phone, ['messages'], true)
  await register(berta, phone, ['messages'])
  await register(berta, other, ['messages'])
  const gather = () => plaza.service.app.jobs.find(({ name }) => name === 'social.gather_notices')!.run({}, 'test')
  for (const body of ['Oh fuck, hello', 'again']) {
    await anna.api.result(sendDirectMessage, { params: { user_id: berta.id }, body: { body } })
    plaza.clock.advance(decisions.notices.reading_seconds)
    await gather()
    expect(await tried()).toEqual([])
  }
  const shown = { kind: 'messages', title: `${anna.username} wrote to you`, link: `/chat?with=${anna.id}` }
  const tag = expect.any(String) as string
  expect(phone.got().map(phone.read)).toEqual([{ ...shown, body: 'Oh ****, hello', tag }])
  expect(other.got().map(other.read)).toEqual([{ ...shown, tag }])
})

test('D-160: a device is forgotten when its push service does not know it, on request and with its session; a failure is tried again', async () => {
  const [berta, gone, failing] = [await someUser(plaza), someBrowser(), someBrowser()]
  await register(berta, gone)
  await register(berta, failing)
  statuses.set(gone.path, 410)
  statuses.set(failing.path, 503)
  await requestedBy(await someUser(plaza), berta)
  expect(await tried()).toEqual(['the push service answered 503'])
  await plaza.service.db.sql`delete from graphile_worker._private_jobs where last_error is not null`
  const [left, ...none] = await devicesOf(berta)
  expect(none).toEqual([])
  const forget = (user: SomeUser) => user.api.call(contract.forgetDevice, { params: { id: left!.id } })
  expect(outcome(await forget(await someUser(plaza)))).toEqual(refused('not_found'))
  expect((await forget(berta)).status).toBe(200)
  expect(await devicesOf(berta)).toEqual([])
  const last = someBrowser()
  await register(berta, last)
  await berta.api.result(logout)
  await requestedBy(await someUser(plaza), berta)
  expect(await tried()).toEqual([])
  await plaza.service.app.jobs.find(({ name }) => name === 'notices.forget_devices')!.run({}, 'test')
  const rows = await plaza.service.db.sql`select 1 from notice_devices where endpoint = ${last.endpoint}`
  expect([rows, last.got()]).toEqual([[], []])
})

test('D-160: an expired session gets no push; a push service without a response is tried again after a minute', async () => {
  const [anna, berta, carla] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  const [late, phone] = [someBrowser(), someBrowser()]
  await register(berta, late)
  await plaza.service.db.sql`update login_sessions set expires_at = ${plaza.clock.now()} where user_id = ${berta.id}`
  await register(carla, phone)
  silent.add(phone.path)
  for (const from of [anna, await someUser(plaza)]) await requestedBy(from, carla)
  await requestedBy(anna, berta)
  expect([await tried(), late.got().length, phone.got().length]).toEqual([[], 0, 1])
  silent.delete(phone.path)
  plaza.clock.advance(61)
  await requestedBy(await someUser(plaza), carla)
  expect([await tried(), phone.got().length]).toEqual([[], 2])
})

test('D-160: a muted kind is not pushed, and a browser belongs to the person who registered it last', async () => {
  const [anna, berta, phone] = [await someUser(plaza), await someUser(plaza), someBrowser()]
  await register(anna, phone)
  await register(berta, phone)
  expect(await devicesOf(anna)).toEqual([])
  await requestedBy(await someUser(plaza), anna)
  await berta.api.result(changeNoticeSetting, { params: { kind: 'friends' }, body: { console: false } })
  await requestedBy(await someUser(plaza), berta)
  expect([await tried(), phone.got()]).toEqual([[], []])
})

test('D-160: ten devices a person, also in parallel; addresses inside and unusable keys are refused, and nothing is written', async () => {
  const user = await someUser(plaza)
  const replies = await race(plaza, 12, () => register(user, someBrowser()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(outcome(replies.find(({ status }) => status === 409)!)).toEqual(refused('too_many_devices'))
  const careful = await plaza.startAnother({ WEBHOOK_ADDRESSES: 'public' })
  const stranger = await someUser(plaza)
  const there = { ...stranger, api: new PlazaClient(careful.url, stranger.token) }
  const browser = someBrowser()
  expect(outcome(await register(there, browser))).toEqual(invalid('endpoint', field_errors.webhook_local))
  expect(outcome(await register(there, { ...browser, endpoint: 'https://127.0.0.1/push' }))).toEqual(
    invalid('endpoint', field_errors.webhook_public),
  )
  const keys = { ...browser.keys, p256dh: 'A'.repeat(87) }
  expect(outcome(await register(stranger, { ...browser, keys }))).toEqual(invalid('keys', field_errors.push_keys))
  expect(await devicesOf(stranger)).toEqual([])
})

test('D-160: the key of push messages is sealed and sealed again', async () => {
  const { public_key } = await (await someUser(plaza)).api.result(contract.listDevices)
  const [{ sealed } = { sealed: Buffer.alloc(0) }] = await plaza.service.db.sql<{ sealed: Buffer }>`
    select sealed from push_keys where public_key = ${public_key}`
  expect(sealed.includes('PRIVATE KEY')).toBe(false)
  expect((await inspectKeys(plaza.service.db, ['x'])).needed.flatMap(({ needed_by }) => needed_by)).toContain(
    '1 push key',
  )
})
