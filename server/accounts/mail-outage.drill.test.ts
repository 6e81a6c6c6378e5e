import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { forgotPassword, sendVerification } from '../../contract/accounts.ts'
import { readyz } from '../../contract/system.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { outboxMailer } from '../platform/mail.ts'
import { startMailbox } from '../test/smtp-server.ts'
import { sleep } from '../test/wait.ts'
import { someUser } from '../test/world.ts'

const seen = { sign_ins: 0 }
const mailbox = await startMailbox({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth(_auth, _session, answer) {
    seen.sign_ins++
    answer(null, { user: 'plaza' })
  },
})
const plaza = await startTestService({ SMTP_URL: mailbox.smtp_url.replace('smtp://', 'smtp://plaza:hush@') })

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

test('O5: with a server without TLS, readyz says so and stays 200, as do the log and the answer to a mail request', async () => {
  const reason = 'the mail server of SMTP_URL offers no valid TLS, which SMTP_TLS requires'
  await expect.poll(() => plaza.logged()).toContain(`"reason":"${reason}"`)
  expect(plaza.logged()).toContain('mails cannot be sent')
  await expectDelays(plaza, reason)
  expect([seen.sign_ins, mailbox.received]).toEqual([0, []])
})

test('an unreachable mail server: the same, and its mails stay in the queue', async () => {
  const away = await plaza.startAnother({ SMTP_URL: 'smtp://plaza:hush@127.0.0.1:1' })
  await expectDelays(away, 'the mail server of SMTP_URL does not take mails (ESOCKET)')
  const [{ waiting } = { waiting: 0 }] = await plaza.db.sql<{ waiting: number }>`
    select count(*) as waiting from graphile_worker.jobs where task_identifier like 'accounts.mail_%'`
  expect(waiting).toBeGreaterThanOrEqual(2)
})

test('O5: SMTP_TLS=optional allows a server without TLS', async () => {
  await plaza.stopAll()
  const allowing = await plaza.startAnother({ SMTP_TLS: 'optional' })
  const user = await someUser(allowing, { verified: false })
  await user.api.result(sendVerification)
  await expect.poll(() => mailbox.received.some(({ to }) => to.includes(user.email))).toBe(true)
  expect(seen.sign_ins).toBeGreaterThan(0)
})

test('O3: while a server refuses to relay, mail is degraded and the mail is kept, until it takes one', async () => {
  const state = { refuses: true }
  const refusing = await startMailbox({
    onRcptTo: (_address, _session, answer) =>
      answer(state.refuses ? Object.assign(new Error('5.7.1 not here'), { responseCode: 554 }) : null),
  })
  const service = await startTestService({ SMTP_URL: refusing.smtp_url })
  const user = await someUser(service, { verified: false })
  const mailCheck = async () =>
    (await new PlazaClient(service.url).result(readyz)).checks.find(({ name }) => name === 'mail')
  await user.api.result(sendVerification)
  await expect.poll(mailCheck).toEqual({ name: 'mail', status: 'degraded', reason: null })
  expect(service.logged()).toContain('the mail server of SMTP_URL does not take mails (554)')
  const [kept] = await service.db.sql<{ attempts: number }>`
    select attempts from graphile_worker._private_jobs where attempts < max_attempts and priority = 10`
  expect(kept?.attempts).toBeGreaterThan(0)
  state.refuses = false
  await service.db.sql`update graphile_worker._private_jobs set run_at = now()`
  await service.db.sql`select graphile_worker.add_job('accounts.name_totp_keys')`
  await expect.poll(() => refusing.received.some(({ to }) => to.includes(user.email))).toBe(true)
  await expect.poll(mailCheck).toEqual({ name: 'mail', status: 'ok', reason: null })
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
  const folder = await mkdtemp(join(tmpdir(), 'plaza-outbox-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', folder])
  onTestFinished(async () => {
    execFileSync('umount', ['-l', folder])
    await rm(folder, { recursive: true })
  })
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
