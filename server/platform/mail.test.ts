import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
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

test('a mail server whose certificate is not valid for it gets no mail', async () => {
  // The certificate that smtp-server brings along.
  const { smtp_url, received } = await startMailbox({ disabledCommands: ['AUTH'] })
  const mailer = smtpMailer({ smtp_url, from, requires_tls: true })
  onTestFinished(() => mailer.close())
  const sent = mailer.inJob('x').send({ to: 'ann@people.test', subject: 'Shop', text: 'Hello' })
  await expect(sent).rejects.toThrow(/certificate/)
  expect([(await mailer.check()).status, received]).toEqual(['degraded', []])
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
  expect(await checked).toEqual({ status: 'degraded', reason: 'the outbox is slow to write' })
  expect(await at_start).toEqual({ status: 'ok' })
  expect(await mailer.check()).toEqual({ status: 'ok' })
})
