import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { forgotPassword, sendVerification } from '../../contract/accounts.ts'
import { readyz } from '../../contract/system.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { startSmtpServer } from '../test/smtp-server.ts'
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

const plaza = await startTestService({ SMTP_URL: await closedMailServer() })

const later = ' Mails are delayed at the moment: it comes as soon as they can be sent.'

async function expectDelays(service: TestService, reason: string) {
  const anonymous = new PlazaClient(service.url)
  const { status, checks } = await anonymous.result(readyz)
  expect(status).toBe('ready')
  expect(checks).toContainEqual({ name: 'mail', status: 'degraded', reason })
  const user = await someUser(service, { verified: false })
  expect(await user.api.call(sendVerification)).toMatchObject({
    status: 200,
    body: { message: `A verification code is on its way to your e-mail address.${later}` },
  })
  // Alike for addresses that have an account and those that have none.
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
