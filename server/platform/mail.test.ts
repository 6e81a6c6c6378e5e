import { mkdtemp, readFile, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startMailbox } from '../test/smtp-server.ts'
import { outboxMailer, smtpMailer } from './mail.ts'

const from = { name: 'Plaza', address: 'post@plaza.test' }

test('names and addresses with line breaks add no header, recipient or part to a mail', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-mail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const mailer = outboxMailer(folder, from)
  const evil = 'Bcc: eve@evil.test'
  const subjects = [
    `Shop\r\n${evil}`,
    `Shop\n${evil}\n\n<b>body</b>`,
    `Shop\r${evil}`,
    `Shop\u2028${evil}`,
    `Shop\0${evil}`,
  ]
  for (const subject of subjects) await mailer.inJob(subject).send({ to: 'ann@people.test', subject, text: 'Hello' })
  for (const to of [`ann@people.test\r\n${evil}`, `ann@people.test>\r\nRCPT TO:<eve@evil.test`])
    await mailer
      .inJob(to)
      .send({ to, subject: 'Shop', text: 'Hello' })
      .catch(() => {})
  const mails = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  expect(mails.length).toBeGreaterThanOrEqual(subjects.length)
  for (const mail of mails) {
    const [head = '', ...body] = mail.split('\r\n\r\n')
    const names = head.split('\r\n').flatMap((line) => (/^\s/.test(line) ? [] : [line.split(':')[0]?.toLowerCase()]))
    expect(names.filter((name) => name === 'bcc' || name === 'rcpt to')).toEqual([])
    expect(names.toSorted()).toEqual(
      [
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].toSorted(),
    )
    expect(body.join('')).toMatch(/^Hello\s*$/)
  }
})

const mail = { to: 'ann@people.test', subject: 'Shop', text: 'Hello' }
const ok = { status: 'ok' }
const degraded = (reason: string) => ({ status: 'degraded', reason })

function mailerTo(smtp_url: string, requires_tls = false) {
  const mailer = smtpMailer({ smtp_url, from, requires_tls })
  onTestFinished(() => mailer.close())
  return mailer
}

test('a mail server whose certificate is not valid for it gets no mail', async () => {
  // The certificate that smtp-server brings along.
  const { smtp_url, received } = await startMailbox({ disabledCommands: ['AUTH'] })
  const mailer = mailerTo(smtp_url, true)
  await expect(mailer.inJob('x').send(mail)).rejects.toThrow(/certificate/)
  expect([(await mailer.check()).status, received]).toEqual(['degraded', []])
})

/** A mail server with passwords and without TLS, that answers each sign-in with `error`. */
async function plainServer(error: Error | null) {
  const seen = { sign_ins: 0 }
  const { smtp_url, received } = await startMailbox({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(_auth, _session, answer) {
      seen.sign_ins++
      answer(error, { user: 'plaza' })
    },
  })
  return { seen, received, smtp_url: smtp_url.replace('smtp://', 'smtp://plaza:hush@') }
}

test('a mail server that refuses the password is named without it', async () => {
  const { smtp_url } = await plainServer(new Error('no such user'))
  const reason = 'the mail server refuses the user or the password of SMTP_URL'
  expect(await mailerTo(smtp_url).check()).toEqual(degraded(reason))
})

test('O5: if TLS is required, a server without it gets neither the password nor a mail; otherwise both', async () => {
  const { smtp_url, seen, received } = await plainServer(null)
  const strict = mailerTo(smtp_url, true)
  await expect(strict.inJob('x').send(mail)).rejects.toMatchObject({ code: 'ETLS' })
  expect(await strict.check()).toEqual(
    degraded('the mail server of SMTP_URL offers no valid TLS, which SMTP_TLS requires'),
  )
  expect([seen.sign_ins, received]).toEqual([0, []])
  await mailerTo(smtp_url).inJob('x').send(mail)
  expect([seen.sign_ins, received.length]).toEqual([1, 1])
})

const refusals = [
  ['onMailFrom', 553, '5.1.8 sender', 'the mail server of SMTP_URL refuses the sender of MAIL_FROM (553)'],
  ['onRcptTo', 554, '5.7.1 not here', 'the mail server of SMTP_URL does not take mails (554)'],
  ['onRcptTo', 550, '5.7.1 relaying denied', 'the mail server of SMTP_URL does not take mails (550)'],
  ['onMessage', 554, '5.7.1 not here', 'the mail server of SMTP_URL does not take mails (554)'],
  // About one recipient.
  ['onRcptTo', 550, 'no such user', undefined],
  ['onRcptTo', 550, '5.1.1 no such user', undefined],
  ['onRcptTo', 552, '5.2.2 mailbox full', undefined],
] as const

test.each(refusals)(
  'O3: a server that answers %s with %i %s degrades mail until it takes one, if that is not about one recipient: %s',
  async (stage, responseCode, message, reason) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const state = { refuses: true }
    const refusal = () => (state.refuses ? Object.assign(new Error(message), { responseCode }) : undefined)
    const answer = (_address: unknown, _session: unknown, done: (error?: Error) => void) => done(refusal())
    const { smtp_url } = await startMailbox(stage === 'onMessage' ? { onMessage: refusal } : { [stage]: answer })
    const mailer = mailerTo(smtp_url)
    await expect(mailer.inJob('x').send(mail)).rejects.toThrow(message)
    const expected = reason === undefined ? ok : degraded(reason)
    expect(await mailer.check()).toEqual(expected)
    // After the cached result expires: a successful sign-in at the server says nothing about this refusal.
    vi.advanceTimersByTime(15_000)
    expect(await mailer.check()).toEqual(expected)
    state.refuses = false
    await mailer.inJob('x').send(mail)
    expect(await mailer.check()).toEqual(ok)
  },
)

test('an outbox that cannot be written degrades mail, until it can', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = await mkdtemp(join(tmpdir(), 'plaza-mail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outbox = join(folder, 'outbox')
  await writeFile(outbox, 'in the place of the folder')
  const mailer = outboxMailer(outbox, from)
  expect(await mailer.check()).toEqual(degraded('mails cannot be written into the outbox (EEXIST)'))
  await unlink(outbox)
  vi.advanceTimersByTime(15_000)
  expect(await mailer.check()).toEqual(ok)
})

test('a busy process calls the outbox slow within the bound of a check only, not at its start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-mail-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const mailer = outboxMailer(folder, from)
  const [at_start, checked] = [mailer.probe(), mailer.check()]
  // As timers fire after a block of the event loop: before the results of files.
  vi.advanceTimersByTime(2_000)
  expect(await checked).toEqual(degraded('the outbox is slow to write'))
  expect(await at_start).toEqual(ok)
  expect(await mailer.check()).toEqual(ok)
})
