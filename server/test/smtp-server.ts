import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { atEnd } from './at-end.ts'

/** Starts a local mail server, by default without TLS and passwords, ends it after the tests, and returns its URL. */
export async function startSmtpServer(options: SMTPServerOptions): Promise<string> {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], ...options })
  // A test may kill the process that hands over a mail.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  atEnd(() => new Promise<void>((done) => server.close(() => done())))
  return `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`
}
