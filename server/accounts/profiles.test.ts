import sharp from 'sharp'
import { expect, test } from 'vitest'
import { me } from '../../contract/accounts.ts'
import { adminListApps } from '../../contract/admin-apps.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { removeLogo, setLogo, updateMyApp } from '../../contract/oauth-apps.ts'
import { removePicture, setPicture, updateProfile } from '../../contract/profiles.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome, refused } from '../test/refusals.ts'
import { raw, someApp, someUser, suspend, theAdmin, type SomeApp, type SomeUser } from '../test/world.ts'

const plaza = await sharedService()

type Change = { display_name?: string | null; time_zone?: string | null }
const update = async ({ api }: SomeUser, body: Change) => outcome(await api.call(updateProfile, { body }))
const profileOf = async ({ api }: SomeUser) => {
  const { display_name, time_zone } = (await api.result(me)).user
  return [display_name, time_zone]
}

test('D-165: a person sets display name and time zone, each alone, and clears them with null', async () => {
  const user = await someUser(plaza)
  expect(await profileOf(user)).toEqual([null, null])
  const [status, answer] = await update(user, { display_name: 'Ada Łovelace 🕯', time_zone: 'Europe/Berlin' })
  expect([status, answer]).toEqual([200, { user: (await user.api.result(me)).user }])
  expect(await profileOf(user)).toEqual(['Ada Łovelace 🕯', 'Europe/Berlin'])
  await update(user, { time_zone: 'UTC' })
  expect(await profileOf(user)).toEqual(['Ada Łovelace 🕯', 'UTC'])
  await update(user, { display_name: null })
  expect(await profileOf(user)).toEqual([null, 'UTC'])
})

test('D-165: names that deceive, bad words and unknown time zones are refused, and change nothing', async () => {
  const user = await someUser(plaza)
  await update(user, { display_name: 'Ada', time_zone: 'Asia/Kathmandu' })
  for (const display_name of ['Plaza Support', 'Mоderator', 'What a bitch'])
    expect(await update(user, { display_name, time_zone: 'UTC' })).toEqual(
      invalid('display_name', 'is not allowed as a name'),
    )
  expect(await update(user, { display_name: ' \u200b' })).toEqual(invalid('display_name', 'must not be blank'))
  for (const time_zone of ['Nowhere/Atlantis', 'CET', '+01:00', ''])
    expect(await update(user, { display_name: 'Eve', time_zone })).toEqual(
      invalid('time_zone', 'must be a time zone such as Europe/Berlin'),
    )
  expect(await profileOf(user)).toEqual(['Ada', 'Asia/Kathmandu'])
})

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'orange' } }).withExif({ IFD0: { Artist: 'Ada at home' } })
const put = async ({ api }: SomeUser, file: Buffer) =>
  outcome(await api.call(setPicture, { body: { picture: file.toString('base64') } }))
const pathOf = async ({ api }: SomeUser) => (await api.result(me)).user.picture_url
const served = async (path: string) => {
  const reply = await plaza.service.app.fastify.inject(path)
  return { status: reply.statusCode, headers: reply.headers, content: reply.rawPayload }
}

test('D-165: a picture is kept as a square WebP without metadata, under another path each time, until it is removed', async () => {
  const user = await someUser(plaza)
  for (const file of [await picture(300, 200).png().toBuffer(), await picture(40, 700).webp().toBuffer()])
    expect((await put(user, file))[0]).toBe(200)
  const first = await pathOf(user)
  expect((await put(user, await picture(640, 480).jpeg().toBuffer()))[0]).toBe(200)
  const path = (await pathOf(user))!
  expect((await served(first!)).status).toBe(404)
  const { status, headers, content } = await served(path)
  const { width, height, format, exif } = await sharp(content).metadata()
  expect([status, width, height, format, exif]).toEqual([200, 256, 256, 'webp', undefined])
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'private, max-age=3600',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  const again = await raw(plaza, 'GET', path, { headers: { 'if-none-match': String(headers.etag) } })
  expect(again.status).toBe(304)
  await user.api.result(removePicture)
  expect([await pathOf(user), (await served(path)).status]).toEqual([null, 404])
})

const upload = async ({ id }: SomeApp, { api }: SomeUser, file: Buffer) =>
  outcome(await api.call(setLogo, { params: { id }, body: { picture: file.toString('base64') } }))
const logosOf = async ({ id }: SomeApp) => [
  (await plaza.db.sql<{ logo_url: string | null }>`select logo_url from oauth_apps where id = ${id}`)[0]?.logo_url,
  (await plaza.db.sql`select 1 from pictures where owner_id = ${id}`).length,
]

test('D-165, D-117: an uploaded logo is kept whole, waits for an admin as another address does, and goes with its address and its owner', async () => {
  const app = await someApp(plaza)
  const [status, answer] = await upload(app, app.owner, await picture(400, 100).png().toBuffer())
  const { logo_url } = answer as { logo_url: string }
  expect([status, logo_url]).toEqual([200, expect.stringMatching(`^${plaza.url}/logos/${app.id}\\?[-0-9a-f]{36}$`)])
  const { headers, content } = await served(`/logos/${app.id}`)
  const { data, info } = await sharp(content).raw().toBuffer({ resolveWithObject: true })
  expect([headers['content-type'], info.width, info.height, data[3]]).toEqual(['image/webp', 256, 256, 0])
  expect((await sharp(content).metadata()).exif).toBeUndefined()
  const { data: apps } = await (await theAdmin(plaza)).api.result(adminListApps, { query: { owner_id: app.owner.id } })
  expect(apps).toMatchObject([{ logo_url, changed_since_approval: true, approved: { logo_url: null } }])
  const params = { id: app.id }
  for (const change of [
    () => app.owner.api.result(updateMyApp, { params, body: { logo_url: 'https://app.test/logo.png' } }),
    () => app.owner.api.result(removeLogo, { params }),
  ]) {
    await change()
    expect((await logosOf(app))[1]).toBe(0)
    expect((await upload(app, app.owner, await picture(9, 9).webp().toBuffer()))[0]).toBe(200)
  }
  expect((await logosOf(app))[1]).toBe(1)
  await app.owner.api.result(deleteAccount, { body: { password: app.owner.password } })
  expect(await logosOf(app)).toEqual([null, 0])
})

test('D-165: a logo of another’s app, and files that are no picture or too wide, are refused and change nothing', async () => {
  const app = await someApp(plaza)
  await upload(app, app.owner, await picture(9, 9).png().toBuffer())
  const kept = await logosOf(app)
  const stranger = await someUser(plaza)
  expect(await upload(app, stranger, await picture(9, 9).png().toBuffer())).toEqual(refused('not_found'))
  expect(outcome(await stranger.api.call(removeLogo, { params: { id: app.id } }))).toEqual(refused('not_found'))
  for (const file of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    await picture(4_097, 1).png().toBuffer(),
  ])
    expect(await upload(app, app.owner, file)).toEqual(
      invalid('picture', 'must be a PNG, JPEG or WebP picture of at most 4096 pixels a side'),
    )
  expect(await logosOf(app)).toEqual(kept)
})

test('D-165: files that are no picture, too large or too wide are refused before they are decoded, and change nothing', async () => {
  const user = await someUser(plaza)
  await put(user, await picture(10, 10).png().toBuffer())
  const path = await pathOf(user)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')
  const wide = await picture(4_097, 1).png().toBuffer()
  const [gif, cut] = [await picture(10, 10).gif().toBuffer(), (await picture(99, 99).jpeg().toBuffer()).subarray(0, 40)]
  for (const file of [svg, wide, gif, cut, Buffer.from('no picture')])
    expect(await put(user, file)).toEqual(
      invalid('picture', 'must be a PNG, JPEG or WebP picture of at most 4096 pixels a side'),
    )
  expect((await put(user, Buffer.alloc(2_097_153 + 3)))[0]).toBe(422)
  expect(await pathOf(user)).toBe(path)
  await suspend(plaza, user)
  expect((await served(path!)).status).toBe(404)
})
