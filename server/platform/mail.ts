import { constants } from 'node:fs'
import { access, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { newId } from './ids.ts'
import { singleFlight } from './single-flight.ts'
import type { CheckResult } from './readiness.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Sends the mail; throws when the mail server does not accept it. */
  send(mail: Mail): Promise<void>
  /** Whether mails can be sent: `ok`, or `degraded` with the reason. Resolves within 2 s; a result is cached for 15 s. */
  check(): Promise<CheckResult>
  close(): void
}

interface Transport {
  send(mail: Mail): Promise<void>
  /** Throws when mails cannot be sent at present. */
  probe(): Promise<unknown>
  close(): void
}

const check_cache_ms = 15_000
const check_timeout_ms = 2_000

const ok: CheckResult = { status: 'ok' }
const degraded = (reason: string): CheckResult => ({ status: 'degraded', reason })

/** Adds a cached health check: the result of the last send, or of a probe when that is older than 15 s. */
function withHealthCheck({ send, probe, close }: Transport, reasonOf: (error: unknown) => string): Mailer {
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
  return {
    async send(mail) {
      try {
        await send(mail)
        record(ok)
      } catch (error) {
        // An error of the recipient's address says nothing about other mails.
        if (!isRecipientError(error)) record(degraded(reasonOf(error)))
        throw error
      }
    },
    async check() {
      if (performance.now() - checked_at < check_cache_ms) return last
      let timer: NodeJS.Timeout | undefined
      const timed_out = new Promise<CheckResult>((done) => {
        timer = setTimeout(() => done(degraded('the mail server does not answer')), check_timeout_ms)
      })
      return Promise.race([runProbe(), timed_out]).finally(() => clearTimeout(timer))
    },
    close,
  }
}

const isRecipientError = (error: unknown) => (error as { code?: string }).code === 'EENVELOPE'

/** For operators: holds neither the mail server's address nor its reply, which may quote a user's name. */
function smtpReason(error: unknown) {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  if (code === 'EAUTH') return 'the mail server refuses the user or the password of SMTP_URL'
  return `the mail server of SMTP_URL does not take mails (${responseCode ?? code ?? 'no reason given'})`
}

export function smtpMailer(smtp_url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
  const transport = createTransport({ url: smtp_url, pool: true, ...timeouts })
  const send = async (mail: Mail) => {
    await transport.sendMail({ from, ...mail })
  }
  return withHealthCheck({ send, probe: () => transport.verify(), close: () => transport.close() }, smtpReason)
}

/** Writes each mail as an RFC 5322 file `<id>.eml` into `folder`: for development, and for machines without a mail server. */
export function outboxMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const makeFolder = () => mkdir(folder, { recursive: true, mode: 0o700 })
  const send = async (mail: Mail) => {
    const { message } = await transport.sendMail({ from, ...mail })
    await makeFolder()
    const file = join(folder, `${newId()}.eml`)
    await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 })
    await rename(`${file}.part`, file)
  }
  const probe = async () => {
    await makeFolder()
    await access(folder, constants.W_OK)
  }
  return withHealthCheck(
    { send, probe, close: () => transport.close() },
    (error) => `mails cannot be written into the outbox (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
  )
}
