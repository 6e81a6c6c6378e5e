import { startOperatorApp } from './app.ts'

/** A required environment variable. */
function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  process.stderr.write(`${name} is not set: see README.md beside this file.\n`)
  process.exit(1)
}

const port = Number(process.env.PORT ?? 4000)
const app_url = process.env.APP_URL ?? `http://127.0.0.1:${port}`
const app = await startOperatorApp({
  plaza_url: process.env.PLAZA_URL ?? 'http://localhost:3000',
  client_id: required('CLIENT_ID'),
  client_secret: required('CLIENT_SECRET'),
  webhook_secret: process.env.WEBHOOK_SECRET,
  port,
  app_url,
})
process.stdout.write(`The sticker shop is open at ${app_url}\n`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.stop())
