import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Env } from '../platform/env-reader.ts'
import { summaryOf } from './people.ts'

const summary = (env: Env, is_upgraded = false) => summaryOf(readConfig({ LOG_LEVEL: 'warn', ...env }), is_upgraded)

test('the summary of a start without settings names addresses, folders, and how to become admin', () => {
  const data = resolve('data')
  expect(summary({}).split('\n')).toEqual([
    'Plaza is ready. Ctrl-C stops it.',
    '  Console        http://localhost:3000',
    '  Documentation  http://localhost:3000/docs',
    `  Data           ${data}`,
    `  Mails          written as files into ${data}/outbox`,
    '  Become admin   register in the console, then: npm run admin -- grant YOUR_EMAIL',
    '  Example data   npm run seed',
    '  Log            warnings and errors, here; LOG_LEVEL=info shows every request',
  ])
})

test('the summary follows the settings, without their secrets', () => {
  const settings = {
    DATABASE_URL: 'postgres://plaza:hush@db.example/plaza',
    SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
    SMTP_URL: 'smtp://post:hush@mail.example',
    PUBLIC_URL: 'https://plaza.example',
    LOG_LEVEL: 'info',
  }
  const text = summary(settings)
  expect(text).toContain('  Data           db.example, database plaza, user plaza\n')
  expect(text).toContain('  Mails          sent by the server of SMTP_URL\n')
  expect(text).toContain('  Console        https://plaza.example\n')
  expect(text).toContain('  Log            on the standard output, LOG_LEVEL is info')
  expect(text).not.toContain('hush')
  expect(summary({}, true)).toContain(`  Data           ${resolve('data')}, upgraded from an earlier version\n`)
  expect(summary({ SANDBOX: 'on' })).toMatch(/^The sandbox of Plaza is ready\./)
  expect(summary({ ROLES: 'worker' })).not.toContain('Console')
})
