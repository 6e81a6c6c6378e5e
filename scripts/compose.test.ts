import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { package_root } from '../server/platform/package.ts'

interface Compose {
  services: Record<string, { volumes?: string[]; environment?: Record<string, string> }>
}

const deploy = (name: string) => readFileSync(join(package_root, 'deploy', name), 'utf8')
const { services } = parse(deploy('compose.yaml'), { merge: true }) as Compose

test('each container gets only the secrets that it needs: the admin’s password only in the API, SECRET_KEYS not in PostgreSQL', () => {
  const mounts = Object.fromEntries(
    Object.entries(services).map(([name, { volumes = [] }]) => [
      name,
      volumes.find((volume) => volume.includes(':/run/secrets:'))?.split(':/run/')[0],
    ]),
  )
  const all = '${PLAZA_SECRETS:-secrets}'
  expect(mounts).toEqual({
    'api-1': all,
    'api-2': all,
    worker: 'secrets-hosting',
    router: 'secrets-hosting',
    postgres: 'secrets-postgres',
    secrets: undefined,
    sandbox: undefined,
    caddy: undefined,
    prometheus: undefined,
    grafana: undefined,
  })
  for (const [name, { environment = {} }] of Object.entries(services))
    expect([name, 'ADMIN_PASSWORD_FILE' in environment]).toEqual([name, name.startsWith('api-')])
})

test('make-secrets.sh creates missing secrets, changes no existing one, and copies to each container those that it needs', () => {
  const root = mkdtempSync(join(tmpdir(), 'plaza-secrets-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const name of ['secrets', 'secrets-hosting', 'secrets-postgres']) mkdirSync(join(root, name))
  writeFileSync(join(root, 'secrets/smtp_url'), 'smtps://a:b@mail.test')
  writeFileSync(join(root, 'secrets-hosting/admin_password'), 'of an earlier version')
  const run = () => execFileSync('sh', ['-c', deploy('make-secrets.sh').replaceAll('/run/secrets', `${root}/secrets`)])
  const files = (name: string) => readdirSync(join(root, name)).toSorted()
  const textOf = (name: string) => readFileSync(join(root, name), 'utf8')
  run()
  const keys = textOf('secrets/secret_keys')
  run()
  expect(textOf('secrets/secret_keys')).toBe(keys)
  expect(files('secrets')).toEqual(['admin_password', 'database_password', 'database_url', 'secret_keys', 'smtp_url'])
  expect(files('secrets-postgres')).toEqual(['database_password'])
  expect(files('secrets-hosting')).toEqual(['database_url', 'secret_keys', 'smtp_url'])
  for (const name of files('secrets-hosting')) expect(textOf(`secrets-hosting/${name}`)).toBe(textOf(`secrets/${name}`))
})
