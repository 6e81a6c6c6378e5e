import { expect, test } from 'vitest'
import { forgotPassword, sendVerification } from '../../contract/accounts.ts'
import { createTestPerson, listMyMails, signInAsTestPerson } from '../../contract/sandbox.ts'
import { startTestService } from '../test/harness.ts'
import { startSmtpServer } from '../test/smtp-server.ts'
import { waitUntil } from '../test/wait.ts'
import { someUser, type SomeUser } from '../test/world.ts'

const received: string[] = []
const state = { is_refusing: false }
const SMTP_URL = await startSmtpServer({
  onRcptTo: ({ address }, _session, answer) => {
    if (state.is_refusing) return answer(Object.assign(new Error('try again later'), { responseCode: 451 }))
    received.push(address)
    return answer()
  },
  onData: (stream, _session, answer) => void stream.resume().on('end', () => answer()),
})
const sandbox = await startTestService({ SANDBOX: 'on', SMTP_URL })

const mailsOf = async ({ api }: Pick<SomeUser, 'api'>) => (await api.result(listMyMails)).data
const queuedJobs = async () =>
  (
    await sandbox.db.sql<{ jobs: number }>`
    select count(*)::integer as jobs from graphile_worker._private_jobs where attempts < max_attempts`
  )[0]?.jobs

test('D-102: with a mail server mails are also sent, except those to test persons', async () => {
  const owner = await someUser(sandbox)
  const { person } = await owner.api.result(createTestPerson, { body: {} })
  const { token } = await owner.api.result(signInAsTestPerson, { params: { id: person.id } })
  const as_person = { api: owner.api.withToken(token) }
  for (const { email } of [person, owner]) await owner.api.result(forgotPassword, { body: { email } })
  await waitUntil(async () => (await queuedJobs()) === 0, 'the end of all jobs')
  expect(await mailsOf(as_person)).toHaveLength(1)
  expect(await mailsOf(owner)).toHaveLength(1)
  expect(received).toEqual([owner.email])
})

test('D-102: a mail that the mail server rejects is still in the console', async () => {
  state.is_refusing = true
  const user = await someUser(sandbox, { verified: false })
  await user.api.result(sendVerification)
  await waitUntil(async () => (await mailsOf(user)).length > 0, 'the mail')
  expect((await mailsOf(user))[0]?.subject).toMatch(/^\d{6} is your Plaza verification code$/)
})
