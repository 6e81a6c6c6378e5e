import sharp from 'sharp'
import { expect, test } from 'vitest'
import { me } from '../../../contract/accounts.ts'
import { updateProfile } from '../../../contract/profiles.ts'
import { someUser } from '../../../server/test/world.ts'
import { expectAccessible, phone, startConsole, waitForHeading } from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole({ SIGNUP_POINTS: '10', REFERRAL_POINTS: '25' })

const slackbot = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', accept: '*/*' }
const tagIn = (text: string, name: string) =>
  new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

test('D-164: a shared link unfurls with a picture, and its page says who invites', async () => {
  const ann = await someUser(plaza)
  await ann.api.result(updateProfile, { body: { display_name: 'Ann Arbor' } })
  const page = await pageAs(ann, { viewport: phone, permissions: ['clipboard-read', 'clipboard-write'] })
  await page.addInitScript(() =>
    Object.assign(navigator, { share: async (shared: ShareData) => void (document.body.dataset.shared = shared.url) }),
  )
  await page.goto('/account')
  await page.getByText('You get 25 points for each friend').waitFor()
  await page.getByRole('img', { name: 'QR code with your referral link' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Copy your referral link' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(await page.locator('body').getAttribute('data-shared')).toBe(link)

  const unfurled = await (await fetch(link, { headers: slackbot })).text()
  expect(tagIn(unfurled, 'og:title')).toBe('Ann Arbor invited you to Plaza')
  const picture = await fetch(tagIn(unfurled, 'og:image'), { headers: slackbot })
  const png = Buffer.from(await picture.arrayBuffer())
  expect([picture.headers.get('content-type'), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
    'image/png',
    1200,
    630,
  ])

  const friend = await newPage({ viewport: phone })
  await friend.goto(link)
  await waitForHeading(friend, 'Ann Arbor invited you to Plaza')
  await friend.getByText('Create an account and get 10 points. Your friend gets 25 points.').waitFor()
  await expectAccessible(friend)
})

test('D-165: a person sets name, time zone and picture, upright and of any size, sees them, and removes the picture', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/account/details')
  await page.getByLabel('Display name').fill('Ben Nevis')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Your profile is saved.').waitFor()
  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/jpeg', buffer })
  await choose('letter.jpg', Buffer.from('Dear Ben'))
  await page.getByRole('alert').getByText('This file is not a picture').waitFor()
  // Larger than the service takes, and lying on its side: red is at the left of the file and at the top of the picture.
  const plain = (width: number, background: string) =>
    sharp({ create: { width, height: 3_000, channels: 3, background } })
  const red = await plain(2_250, 'red').png().toBuffer()
  const file = plain(4_500, 'blue').composite([{ input: red, gravity: 'west' }])
  await choose('me.jpg', await file.withMetadata({ orientation: 6 }).jpeg().toBuffer())
  await page.getByRole('button', { name: 'Save the picture' }).click()
  await page.locator('main img[src^="/pictures/"]').waitFor()
  await expectAccessible(page)
  const { display_name, picture_url } = (await user.api.result(me)).user
  expect(display_name).toBe('Ben Nevis')
  const served = await fetch(plaza.url + picture_url)
  const pixels = await sharp(await served.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer()
  const isRed = (at: number) => pixels[3 * 256 * at]! > pixels[3 * 256 * at + 2]!
  expect([isRed(40), isRed(216)]).toEqual([true, false])
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await page.getByText('The picture is removed.').waitFor()
  expect((await user.api.result(me)).user.picture_url).toBeNull()
})
