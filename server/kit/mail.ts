import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { newId } from './ids.ts'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Hands the mail over; throws when the mail server does not take it. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** Sends by SMTP. */
export function smtpMailer(smtp_url: string, from: string): Mailer {
  const transport = createTransport({ url: smtp_url, pool: true, connectionTimeout: 10_000, socketTimeout: 20_000 })
  return {
    send: async (mail) => {
      await transport.sendMail({ from, ...mail })
    },
    close: () => transport.close(),
  }
}

/** Writes each mail as an RFC 5322 file `<id>.eml` into `folder`: for development, and for machines without a mail server. */
export function outboxMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(mail) {
      const { message } = await transport.sendMail({ from, ...mail })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${newId()}.eml`)
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 })
      await rename(`${file}.part`, file)
    },
    close: () => transport.close(),
  }
}
