import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { atEnd } from './at-end.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** As it was sent. */
  raw: string
  /** Without the line breaks and escapes of its transfer encoding. */
  text: string
}

interface MailboxOptions extends SMTPServerOptions {
  /** The answer to a stored mail: an error, or undefined to accept it. */
  onMessage?: () => Promise<Error | undefined> | Error | undefined
}

/** Starts a local mail server that stores received mails; see `startSmtpServer`. */
export async function startMailbox({ onMessage, ...options }: MailboxOptions = {}) {
  const received: ReceivedMail[] = []
  const smtp_url = await startSmtpServer({
    ...options,
    onData(stream, { envelope }, answer) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1')
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw,
          text: raw.replaceAll('=\r\n', '').replaceAll('=3D', '='),
        })
        void Promise.resolve(onMessage?.()).then((error) => answer(error))
      })
    },
  })
  return { smtp_url, received }
}

/** Starts a local mail server, by default without TLS and passwords, and ends it after the tests. Returns its URL. */
export async function startSmtpServer(options: SMTPServerOptions): Promise<string> {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], ...options })
  // A test may kill the process that sends a mail.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  atEnd(() => new Promise<void>((done) => server.close(() => done())))
  return `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`
}
