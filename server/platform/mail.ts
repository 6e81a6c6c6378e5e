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
  /** Hands the mail over; throws when the mail server does not take it. */
  send(mail: Mail): Promise<void>
  /** Whether mails can be sent: `ok`, or `degraded` with the reason. Answers within 2 s, from memory where it can. */
  check(): Promise<CheckResult>
  close(): void
}

interface Transport {
  send(mail: Mail): Promise<void>
  /** Throws when a mail could not be sent now. */
  probe(): Promise<unknown>
  close(): void
}

/** What was seen so long ago is asked again. */
const check_cache_ms = 15_000
const check_timeout_ms = 2_000

const ok: CheckResult = { status: 'ok' }
const degraded = (reason: string): CheckResult => ({ status: 'degraded', reason })

/** Remembers whether mails could be sent last, and asks when that is long ago. */
function withHealthCheck({ send, probe, close }: Transport, reasonOf: (error: unknown) => string): Mailer {
  let last: CheckResult = ok
  let seen_at = -Infinity
  const seen = (result: CheckResult) => {
    last = result
    seen_at = performance.now()
    return result
  }
  const ask = singleFlight(() =>
    probe().then(
      () => seen(ok),
      (error: unknown) => seen(degraded(reasonOf(error))),
    ),
  )
  return {
    async send(mail) {
      try {
        await send(mail)
        seen(ok)
      } catch (error) {
        // One that this recipient's address causes says nothing of other mails.
        if (!isRecipientError(error)) seen(degraded(reasonOf(error)))
        throw error
      }
    },
    async check() {
      if (performance.now() - seen_at < check_cache_ms) return last
      let late: NodeJS.Timeout | undefined
      const no_answer = new Promise<CheckResult>((done) => {
        late = setTimeout(() => done(degraded('the mail server does not answer')), check_timeout_ms)
      })
      return Promise.race([ask(), no_answer]).finally(() => clearTimeout(late))
    },
    close,
  }
}

const isRecipientError = (error: unknown) => (error as { code?: string }).code === 'EENVELOPE'

/** For whoever operates the service: neither the address of the mail server nor what it said, which may quote a user's name. */
function smtpReason(error: unknown) {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  if (code === 'EAUTH') return 'the mail server refuses the user or the password of SMTP_URL'
  return `the mail server of SMTP_URL does not take mails (${responseCode ?? code ?? 'no reason given'})`
}

/** Sends by SMTP. */
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
