import { expect, test } from 'vitest'
import { forgotPassword, sendVerification, verifyEmail } from '../../contract/accounts.ts'
import { startTestService } from '../test/harness.ts'
import { startMailbox, type ReceivedMail } from '../test/smtp-server.ts'
import { someUser } from '../test/world.ts'

/** A local mail server. While `refusals` is above 0, it refuses recipients with a temporary error. */
async function mailServer() {
  const state = { refusals: 0, turned_away: 0, lost_answers: 0 }
  const mailbox = await startMailbox({
    onRcptTo(_address, _session, answer) {
      if (state.refusals-- <= 0) return answer()
      state.turned_away++
      return answer(Object.assign(new Error('try again later'), { responseCode: 451 }))
    },
    onMessage: () => (state.lost_answers-- > 0 ? Object.assign(new Error('lost'), { responseCode: 451 }) : undefined),
  })
  return Object.assign(state, mailbox)
}

const mails = await mailServer()
const plaza = await startTestService({ SMTP_URL: mails.smtp_url, MAIL_FROM: 'Plaza <post@plaza.test>' })
const mailsTo = (address: string) => mails.received.filter(({ to }) => to.includes(address))
const arrived = (address: string, count: number) =>
  expect.poll(() => mailsTo(address).length, { interval: 50 }).toBe(count)
const codeIn = (mail: ReceivedMail | undefined) => /code is (\d{6})\r\n/.exec(mail?.raw ?? '')?.[1] ?? 'no code'

test('D-11 SMTP_URL: one well-formed mail with a working code arrives at the mail server', async () => {
  const user = await someUser(plaza, { verified: false })
  await user.api.result(sendVerification)
  await arrived(user.email, 1)
  const [mail] = mailsTo(user.email)
  expect([mail?.from, mail?.to]).toEqual(['post@plaza.test', [user.email]])
  const [head = '', ...body] = (mail?.raw ?? '').split('\r\n\r\n')
  const names = head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => /^([!-9;-~]+): \S/.exec(line)?.[1]?.toLowerCase())
  expect(names.filter((name) => name === undefined)).toEqual([])
  for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type'])
    expect(names.filter((other) => other === name)).toEqual([name])
  expect(head).toContain('\r\nTo: ' + user.email + '\r\n')
  expect(head).toContain('From: Plaza <post@plaza.test>\r\n')
  expect(mail?.raw).not.toMatch(/[^\r]\n|\r[^\n]/)
  expect(mail?.raw.split('\r\n').filter((line) => line.length > 998)).toEqual([])
  expect(body.filter((part) => part.includes(`Hello ${user.username},`))).toHaveLength(2)
  expect(body.join().match(/Content-Type: text\/\w+/g)).toEqual(['Content-Type: text/plain', 'Content-Type: text/html'])
  expect((await user.api.call(verifyEmail, { body: { code: codeIn(mail) } })).status).toBe(200)
})

test('D-11 a mail that the server refuses temporarily is retried, with a working code', async () => {
  const user = await someUser(plaza, { verified: false })
  mails.refusals = 1
  await user.api.result(sendVerification)
  await arrived(user.email, 1)
  expect(mails.turned_away).toBe(1)
  const code = codeIn(mailsTo(user.email)[0])
  expect((await user.api.call(verifyEmail, { body: { code } })).status).toBe(200)
})

test('D-11 a refused mail leaves its job queued with attempts left, and no secret in it', async () => {
  const user = await someUser(plaza)
  mails.refusals = 1000
  await user.api.result(forgotPassword, { body: { email: user.email } })
  const jobOf = async () => {
    const [job] = await plaza.db.sql<{
      attempts: number
      max_attempts: number
      error: string | null
      payload: unknown
    }>`
      select attempts, max_attempts, last_error as error, payload
        from graphile_worker._private_jobs where payload::text like ${`%${user.email}%`}`
    return job
  }
  await expect.poll(async () => (await jobOf())?.error).toContain('try again later')
  expect(await jobOf()).toMatchObject({ attempts: 1, max_attempts: 16, payload: { email: user.email } })
  expect(mailsTo(user.email)).toEqual([])
  mails.refusals = 0
})

test.each([
  { what: 'a verification code', declaration: sendVerification, verified: false, secret: /code is (\d{6})/ },
  { what: 'a reset link', declaration: forgotPassword, verified: true, secret: /(plz_pw_[\w-]+)/ },
])(
  'O7: $what that arrives twice is one mail: the same Message-ID, and a code that works',
  async ({ declaration, verified, secret }) => {
    const user = await someUser(plaza, { verified })
    mails.lost_answers = 1
    if (declaration === sendVerification) await user.api.result(sendVerification)
    else await user.api.result(forgotPassword, { body: { email: user.email } })
    await arrived(user.email, 2)
    const found = mailsTo(user.email).map(({ raw, text }) => [
      /^Message-ID: (<\S+@plaza\.test>)\r$/im.exec(raw)?.[1],
      secret.exec(text)?.[1],
    ])
    expect(found[0]).toEqual([expect.any(String), expect.any(String)])
    expect(found[1]).toEqual(found[0])
  },
)

test('O7: different mails have different ids', async () => {
  const user = await someUser(plaza, { verified: false })
  await user.api.result(sendVerification)
  await arrived(user.email, 1)
  await user.api.result(sendVerification)
  await arrived(user.email, 2)
  const ids = mailsTo(user.email).map(({ raw }) => /^Message-ID: (\S+)/im.exec(raw)?.[1])
  expect(new Set(ids).size).toBe(2)
})
