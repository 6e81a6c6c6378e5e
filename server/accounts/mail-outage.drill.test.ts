import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { forgotPassword, sendVerification } from '../../contract/accounts.ts'
import { readyz } from '../../contract/system.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { outboxMailer } from '../platform/mail.ts'
import { startMailbox, startSmtpServer } from '../test/smtp-server.ts'
import { sleep } from '../test/wait.ts'
import { someUser } from '../test/world.ts'

/** A mail server that refuses every user and password. */
async function closedMailServer() {
  const url = await startSmtpServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, answer) => answer(new Error('no such user')),
  })
  return url.replace('smtp://', 'smtp://plaza:hush@')
}

const data_dir = await mkdtemp(join(tmpdir(), 'plaza-outbox-'))
afterAll(() => rm(data_dir, { recursive: true }))
await writeFile(join(data_dir, 'outbox'), 'in the place of the folder')

const plaza = await startTestService({ SMTP_URL: await closedMailServer(), SMTP_TLS: 'optional' })

const later = ' Mails are delayed at the moment: it comes as soon as they can be sent.'

async function expectDelays(service: TestService, reason: string) {
  const anonymous = new PlazaClient(service.url)
  const { status, checks } = await anonymous.result(readyz)
  expect(status).toBe('ready')
  expect(checks).toContainEqual({ name: 'mail', status: 'degraded', reason: null })
  expect(service.logged()).toContain(reason)
  const user = await someUser(service, { verified: false })
  expect(await user.api.call(sendVerification)).toMatchObject({
    status: 200,
    body: { message: `A verification code is on its way to your e-mail address.${later}` },
  })
  // The same for addresses with and without an account.
  for (const email of [user.email, 'nobody@people.test'])
    expect(await anonymous.call(forgotPassword, { body: { email } })).toMatchObject({
      status: 200,
      body: { message: `If an account has this address, a mail with a code is on its way to it.${later}` },
    })
  expect(service.logged()).not.toContain('hush')
}

test('a mail server that refuses logins: readyz reports it and stays 200, and the response to a mail request says so', async () => {
  await expectDelays(plaza, 'the mail server refuses the user or the password of SMTP_URL')
})

test('an unreachable mail server: the same, and its mails stay in the queue', async () => {
  const away = await plaza.startAnother({ SMTP_URL: 'smtp://127.0.0.1:1' })
  await expectDelays(away, 'the mail server of SMTP_URL does not take mails (ESOCKET)')
  const [{ waiting } = { waiting: 0 }] = await plaza.db.sql<{ waiting: number }>`
    select count(*) as waiting from graphile_worker.jobs where task_identifier like 'accounts.mail_%'`
  expect(waiting).toBeGreaterThanOrEqual(2)
})

test('an outbox that cannot be written: the same, until it can', async () => {
  const outbox = await plaza.startAnother({ SMTP_URL: '', DATA_DIR: data_dir })
  await expectDelays(outbox, 'mails cannot be written into the outbox (EEXIST)')
  await unlink(join(data_dir, 'outbox'))
  const anonymous = new PlazaClient(outbox.url)
  const mailCheck = async () => (await anonymous.result(readyz)).checks.find(({ name }) => name === 'mail')
  await expect.poll(mailCheck, { interval: 500 }).toEqual({ name: 'mail', status: 'ok', reason: null })
})

const mailCheckOf = async (service: TestService) =>
  (await new PlazaClient(service.url).result(readyz)).checks.find(({ name }) => name === 'mail')

const refusing = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

const refusals = [
  {
    code: 553,
    stage: 'onMailFrom',
    reason: 'the mail server of SMTP_URL refuses the sender of MAIL_FROM (553)',
  },
  { code: 554, stage: 'onRcptTo', reason: 'the mail server of SMTP_URL does not take mails (554)' },
  { code: 554, stage: 'onMessage', reason: 'the mail server of SMTP_URL does not take mails (554)' },
] as const

/** Checks that a server's refusal at one stage is reported. */
const expectRefused = async ({ code, stage, reason }: (typeof refusals)[number]) => {
  const degraded = { name: 'mail', status: 'degraded', reason: null }
  const state = { refuses: true, connections: 0 }
  const refusal = refusing(code, stage === 'onMailFrom' ? '5.1.8 sender' : '5.7.1 not here')
  const mailbox = await startMailbox({
    onConnect(_session, answer) {
      state.connections++
      answer()
    },
    ...(stage === 'onMessage' && { onMessage: () => (state.refuses ? refusal : undefined) }),
    ...(stage !== 'onMessage' && {
      [stage]: (_address: unknown, _session: unknown, answer: (error?: Error) => void) =>
        answer(state.refuses ? refusal : undefined),
    }),
  })
  const service = await startTestService({ SMTP_URL: mailbox.smtp_url })
  const user = await someUser(service, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailCheckOf(service)).toEqual(degraded)
  // After the cached result expires: a successful sign-in at the server says nothing about this refusal.
  const before = state.connections
  await expect
    .poll(async () => [await mailCheckOf(service), state.connections > before][1], { interval: 500 })
    .toBe(true)
  expect(await mailCheckOf(service)).toEqual(degraded)
  expect(service.logged()).toContain(reason)
  const [kept] = await service.db.sql<{ attempts: number }>`
    select attempts from graphile_worker._private_jobs where attempts < max_attempts and priority = 10`
  expect(kept?.attempts).toBeGreaterThan(0)
  state.refuses = false
  await service.db.sql`update graphile_worker._private_jobs set run_at = now()`
  await service.db.sql`select graphile_worker.add_job('accounts.name_totp_keys')`
  await expect.poll(() => mailbox.received.some(({ to }) => to.includes(user.email))).toBe(true)
  await expect.poll(() => mailCheckOf(service)).toEqual({ name: 'mail', status: 'ok', reason: null })
}

// In parallel: each waits for longer than a result is cached.
test('O3: a server that refuses the sender, to relay, or messages degrades mail until it takes one, and the mail is kept', () =>
  Promise.all(refusals.map(expectRefused)))

test.each([
  { code: 550, message: 'no such user' },
  { code: 550, message: '5.1.1 no such user' },
  { code: 552, message: '5.2.2 mailbox full' },
])('O3: $code $message is about one recipient, and mail stays ok', async ({ code, message }) => {
  const refused: string[] = []
  const smtp_url = await startSmtpServer({
    onRcptTo({ address }, _session, answer) {
      refused.push(address)
      answer(refusing(code, message))
    },
  })
  const service = await startTestService({ SMTP_URL: smtp_url })
  const user = await someUser(service, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => refused).toContain(user.email)
  await expect
    .poll(
      async () =>
        (await service.db.sql`select from graphile_worker._private_jobs where attempts > 0 and locked_at is null`)
          .length,
    )
    .toBe(1)
  expect(await mailCheckOf(service)).toEqual({ name: 'mail', status: 'ok', reason: null })
})

test('O5: a server without TLS gets neither the password nor a mail, and the log and readyz say so; a setting allows it', async () => {
  const seen = { sign_ins: 0 }
  const mailbox = await startMailbox({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(_auth, _session, answer) {
      seen.sign_ins++
      answer(null, { user: 'plaza' })
    },
  })
  const SMTP_URL = mailbox.smtp_url.replace('smtp://', 'smtp://plaza:hush@')
  const reason = 'the mail server of SMTP_URL offers no valid TLS, which SMTP_TLS requires'
  const service = await startTestService({ SMTP_URL })
  await expect.poll(() => service.logged()).toContain(`"reason":"${reason}"`)
  expect(service.logged()).toContain('mails cannot be sent')
  await expectDelays(service, reason)
  expect([seen.sign_ins, mailbox.received]).toEqual([0, []])
  const allowing = await startTestService({ SMTP_URL, SMTP_TLS: 'optional' })
  const user = await someUser(allowing, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailbox.received.length).toBe(1)
  expect(seen.sign_ins).toBeGreaterThan(0)
})

test('O7: a server that answers a mail after 25 s gets it once', async () => {
  const mailbox = await startMailbox({ onMessage: () => sleep(25_000).then(() => undefined) })
  const service = await startTestService({ SMTP_URL: mailbox.smtp_url })
  const user = await someUser(service, { verified: false })
  await user.api.result(sendVerification)
  const queued = () => service.db.sql`select from graphile_worker._private_jobs where priority = 10`
  await expect.poll(async () => (await queued()).length).toBe(0)
  expect(mailbox.received.length).toBe(1)
})

test('O7: a stop waits 5 s for a mail server that does not answer, and the mail stays queued', async () => {
  const mailbox = await startMailbox({ onMessage: () => new Promise(() => {}) })
  // Runs no jobs.
  const base = await startTestService({ ROLES: 'worker' })
  const service = await base.startAnother({ SMTP_URL: mailbox.smtp_url, ROLES: 'api' })
  const user = await someUser(service, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailbox.received.length).toBeGreaterThan(0)
  const started = performance.now()
  await service.service.stop()
  expect(performance.now() - started).toBeLessThan(15_000)
  const kept = await base.db.sql`select from graphile_worker._private_jobs where payload::text like ${`%${user.id}%`}`
  expect(kept.length).toBe(1)
})

const can_mount = process.getuid?.() === 0 && process.platform === 'linux'

test.runIf(can_mount)('an outbox on a full disk keeps no half mail', async () => {
  const folder = join(data_dir, 'full')
  await mkdir(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const mailer = outboxMailer(folder, { name: 'Plaza', address: 'post@plaza.test' })
  const { send } = mailer.inJob('job')
  const mail = { to: 'a@people.test', subject: 'x', text: 'x'.repeat(20_000) }
  await expect(send(mail)).rejects.toThrow('ENOSPC')
  expect(await readdir(folder)).toEqual([])
  expect(await mailer.check()).toEqual({
    status: 'degraded',
    reason: 'mails cannot be written into the outbox (ENOSPC)',
  })
  await send({ ...mail, text: 'x' })
  expect(await readdir(folder)).toEqual([expect.stringMatching(/\.eml$/)])
})
