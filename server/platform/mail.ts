import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { newId } from './ids.ts'
import type { MailAddress } from './mail-address.ts'
import { singleFlight } from './single-flight.ts'
import type { CheckResult } from './readiness.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same text as HTML. */
  html?: string
  /** The language of the text. */
  lang?: string
}

/** Sends the mails of a job. */
export interface JobMailer {
  /** Identifies the job. It is the same at each attempt. */
  job: string
  /** Sends the mail; throws if the mail server does not accept it. */
  send(mail: Mail): Promise<void>
}

export interface Mailer {
  inJob(job: string): JobMailer
  /** Reports if mails can be sent: `ok`, or `degraded` with the reason. Resolves within 2 s; a result is cached for 15 s. */
  check(): Promise<CheckResult>
  /** A new check that resolves within 30 s: during a busy start, 2 s would measure this process. */
  probe(): Promise<CheckResult>
  /** Ends immediately. Mails that the server has not accepted yet are not sent. */
  close(): void
}

interface Transport {
  send(mail: Mail, job: string): Promise<void>
  /** Throws if mails cannot be sent at present. */
  probe(): Promise<unknown>
  close(): void
  /** The reason to report if a probe has no result. */
  silent: string
}

const check_cache_ms = 15_000
const check_timeout_ms = 2_000
const start_timeout_ms = 30_000

const ok: CheckResult = { status: 'ok' }
const degraded = (reason: string): CheckResult => ({ status: 'degraded', reason })

/** Adds a cached health check: the result of the last send, or of a probe if that is older than 15 s. */
function withHealthCheck({ send, probe, close, silent }: Transport, reasonOf: (error: unknown) => string): Mailer {
  let last: CheckResult = ok
  let checked_at = -Infinity
  const record = (result: CheckResult) => {
    last = result
    checked_at = performance.now()
    return result
  }
  const runProbe = singleFlight(() =>
    probe().then(
      () => record(ok),
      (error: unknown) => record(degraded(reasonOf(error))),
    ),
  )
  async function probeWithin(ms: number) {
    let timer: NodeJS.Timeout | undefined
    const timed_out = new Promise<CheckResult>((done) => {
      timer = setTimeout(() => done(degraded(silent)), ms)
    })
    return Promise.race([runProbe(), timed_out]).finally(() => clearTimeout(timer))
  }
  return {
    inJob: (job) => ({
      job,
      async send(mail) {
        try {
          await send(mail, job)
          record(ok)
        } catch (error) {
          if (!isAboutRecipient(error)) record(degraded(reasonOf(error)))
          throw error
        }
      },
    }),
    async check() {
      return performance.now() - checked_at < check_cache_ms ? last : probeWithin(check_timeout_ms)
    },
    probe: () => probeWithin(start_timeout_ms),
    close,
  }
}

interface SmtpError {
  code?: string
  /** The command that failed; `API` if the mail was refused before any command. */
  command?: string
  responseCode?: number
  response?: string
}

/** Replies to RCPT TO that concern a mailbox (RFC 5321 §4.2.3). */
const mailbox_codes = [450, 501, 510, 511, 513, 550, 551, 552, 553]

/**
 * True if an error concerns the recipient's address and says nothing about other mails. An enhanced status code with a
 * subject other than address or mailbox does not (RFC 3463), such as `550 5.7.1 relaying denied`.
 */
function isAboutRecipient(error: unknown) {
  const { code, command, responseCode = 0, response = '' } = error as SmtpError
  if (code !== 'EENVELOPE') return false
  if (command === 'API') return true
  const subject = /^\d{3}[ -][245]\.(\d{1,3})\.\d{1,3}\b/.exec(response)?.[1]
  return command === 'RCPT TO' && (subject ? ['1', '2'].includes(subject) : mailbox_codes.includes(responseCode))
}

/** A reason for operators. It contains neither the mail server's address nor its reply, which may quote a user's name. */
function smtpReason(error: unknown) {
  const { code, command, responseCode } = error as SmtpError
  if (code === 'EAUTH') return 'the mail server refuses the user or the password of SMTP_URL'
  if (code === 'ETLS') return 'the mail server of SMTP_URL offers no valid TLS, which SMTP_TLS requires'
  if (command === 'MAIL FROM')
    return `the mail server of SMTP_URL refuses the sender of MAIL_FROM (${responseCode ?? code})`
  return `the mail server of SMTP_URL does not take mails (${responseCode ?? code ?? 'no reason given'})`
}

/** True if the server refused a mail after the sign-in, which is as far as a probe gets. */
const isRefusedMail = (error: unknown) =>
  ['MAIL FROM', 'RCPT TO', 'DATA'].includes((error as SmtpError).command ?? '') && !isAboutRecipient(error)

export interface SmtpOptions {
  smtp_url: string
  from: MailAddress
  /** True if mails are only sent over TLS; otherwise TLS is used if the server offers it. */
  requires_tls: boolean
}

export function smtpMailer({ smtp_url, from, requires_tls }: SmtpOptions): Mailer {
  // A server may take ten minutes to acknowledge a mail (RFC 5321 §4.5.3.2.6). A mail that is sent again earlier would arrive twice.
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 600_000 }
  const transport = createTransport({ url: smtp_url, pool: true, requireTLS: requires_tls, ...timeouts })
  let refusal: Error | undefined
  const send = async (mail: Mail, job: string) => {
    try {
      await transport.sendMail({ from, ...mail, messageId: messageId(mail, job, from) })
      refusal = undefined
    } catch (error) {
      if (isRefusedMail(error)) refusal = error as Error
      throw error
    }
  }
  const probe = async () => {
    await transport.verify()
    if (refusal) throw refusal
  }
  return withHealthCheck(
    { send, probe, close: () => transport.close({ force: true }), silent: 'the mail server does not answer' },
    smtpReason,
  )
}

/** The same at each attempt of a job, so that mail servers and programs recognise a repeated mail. */
function messageId({ to, subject }: Mail, job: string, from: MailAddress) {
  const id = hash('sha256', JSON.stringify([job, to, subject]), 'base64url').slice(0, 32)
  return `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`
}

/** Writes each mail as an RFC 5322 file `<id>.eml` into `folder`, for development and for machines without a mail server. */
export function outboxMailer(folder: string, from: MailAddress): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })
  const send = async (mail: Mail, job: string) => {
    const { message } = await transport.sendMail({ from, ...mail, messageId: messageId(mail, job, from) })
    await makeFolder()
    const file = join(folder, `${newId()}.eml`)
    try {
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 })
      await rename(`${file}.part`, file)
    } catch (error) {
      await rm(`${file}.part`, { force: true })
      throw error
    }
  }
  const probe = async () => {
    await makeFolder()
    await access(folder, constants.W_OK)
  }
  return withHealthCheck(
    { send, probe, close: () => transport.close(), silent: 'the outbox is slow to write' },
    (error) => `mails cannot be written into the outbox (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
  )
}
