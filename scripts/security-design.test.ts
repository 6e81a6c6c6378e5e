import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { token } from '../contract/account-fields.ts'
import { login, resetPassword } from '../contract/accounts.ts'
import { decisions } from '../contract/decisions.ts'
import { failures } from '../contract/errors.ts'
import { field_errors } from '../contract/field-errors.ts'
import { operations, sandbox_operations } from '../contract/operations.ts'
import { owasp_cost } from '../server/platform/passwords.ts'
import { package_root } from '../server/platform/package.ts'
import { readSources } from './layers.ts'

const read = (file: string) => readFileSync(join(package_root, file), 'utf8')
const page = read('docs/security/design.md')

/** The sources that run in production; `web` in the browsers of people. */
const sources = [...(await readSources())].filter(
  ([path]) =>
    /^(?:server|contract|client\/src|cli\/src|web)\//.test(path) &&
    !/\.test\.tsx?$|\/(?:test|dev)\/|^web\/vite/.test(path),
)

/** Every match of a pattern in the sources, as `path: first group`. */
const found = (pattern: RegExp, root = '') =>
  sources
    .filter(([path]) => path.startsWith(root))
    .flatMap(([path, text]) => [...text.matchAll(pattern)].map(([whole, group = whole]) => `${path}: ${group}`))

const values = (pattern: RegExp) => [...new Set(found(pattern).map((one) => one.split(': ')[1]))].sort()
const files = (pattern: RegExp, root = '') => [
  ...new Set(found(pattern, root).map((one) => one.split(': ')[0] as string)),
]

test('the page on design has the limits of the code: of passwords, codes, guesses, sessions and calls', () => {
  const { rate_limits, passwords, totp, mailed_codes, failed_logins, code_tries, login_tokens } = decisions
  const { kept_sessions, account_recovery, end_of_grants, webhooks, backchannel_logout } = decisions
  const days = (seconds: number) => seconds / 86_400
  for (const fact of [
    `${passwords.password_min} to ${passwords.password_max} characters`,
    `${owasp_cost.memoryCost / 1_024} MiB and ${owasp_cost.timeCost} passes`,
    `(${totp.step_seconds} s, used once), or one of ${totp.recovery_codes} recovery codes`,
    `more than ${account_recovery.recent_days} days`,
    `valid for ${mailed_codes.lifetime_seconds / 60} minutes`,
    `| ${rate_limits.login.requests} in ${rate_limits.login.seconds} s |`,
    `| ${failed_logins.failures_max} in ${failed_logins.window_seconds / 60} minutes |`,
    `| ${failed_logins.failures_per_day} a day;`,
    `| ${failed_logins.resets_max} an hour for an account |`,
    `| ${code_tries.tries} in ${code_tries.window_seconds / 60} minutes and ${code_tries.tries_per_day} a day`,
    `a mailed one takes ${mailed_codes.tries} |`,
    `| ${rate_limits.register.requests} an hour |`,
    `A JWT lives for ${login_tokens.jwt_seconds / 3_600} hours`,
    `ends ${days(kept_sessions.idle_seconds)} days after its last renewal and ${days(kept_sessions.max_seconds)} days after`,
    `that of an admin ${kept_sessions.admin_max_seconds / 3_600} hours after`,
    `they end ${days(end_of_grants.refresh_token_max_seconds)} days after the consent`,
    `${webhooks.timeout_seconds} s, for logouts ${backchannel_logout.timeout_seconds} s`,
  ])
    expect(page.replaceAll('\n', ' ')).toContain(fact)
})

test('the page on design has every way to a session, and the credentials that a sign-in takes', () => {
  const [, section = ''] = /\n## Sign-in\n([^]*?)\n## /.exec(page) ?? []
  const documented = [...section.matchAll(/^\| ([^|]+) \| `(POST [^`]+)` \|/gm)].map(([, way = '', at = '']) => ({
    way,
    at,
  }))
  const of_session = JSON.stringify(token)
  const opening = Object.values({ ...operations, ...sandbox_operations }).filter(({ response }) =>
    JSON.stringify(response ?? {}).includes(of_session),
  )
  const addresses = opening.map(({ method, path }) => `${method} ${path}`)
  const reset = `${resetPassword.method} ${resetPassword.path}`
  expect([...new Set(documented.map(({ at }) => at))].sort()).toEqual([...addresses, reset].sort())
  // A new credential of the sign-in needs a row.
  const credentials = Object.keys(login.body!.properties).filter((name) => name !== 'email')
  expect(credentials).toEqual(['password', 'totp_code', 'passkey'])
  expect(documented.filter(({ at }) => at === `${login.method} ${login.path}`).map(({ way }) => way)).toEqual([
    'password',
    'password and code',
    'password and passkey',
  ])
})

test('the page on design has the rules between values, as the code refuses them', () => {
  const [, section = ''] = /\n## Values that belong together\n([^]*?)\n## /.exec(page) ?? []
  const rules = [...section.matchAll(/\| `(\w+)`(?:: (.*))? \|$/gm)].map(([, name = '', text]) => ({ name, text }))
  expect(rules.length).toBeGreaterThan(20)
  for (const { name, text } of rules) {
    const known: Readonly<Record<string, unknown>> = text === undefined ? failures : field_errors
    expect([name, text ?? known[name] !== undefined]).toEqual([name, text === undefined ? true : known[name]])
  }
})

test('only the modules that the page on design names open connections', () => {
  const [, communication = ''] = page.split('\n## ')
  const named = [...communication.matchAll(/`(server\/[^`]+)`/g)].map(([, path = '']) => path)
  const opens =
    /import (?:type )?\{[^}]*\b(?:connect|request|get|createTransport)\b[^}]*\} from '(?:undici|node:(?:net|tls|https?)|nodemailer)'|import pg from 'pg'|\bawait fetch\('/g
  const opening = files(opens, 'server/')
  expect(opening.filter((path) => !named.some((one) => path.startsWith(one)))).toEqual([])
  expect(named.filter((one) => !opening.some((path) => path.startsWith(one)))).toEqual([])
})

test('the source starts no shell and evaluates no text, and expressions of input are escaped', () => {
  expect(found(/\b(?:eval|new Function)\(|'node:vm'/g)).toEqual([])
  expect(
    found(/\bexec(?:Sync)?\b[^'}]*\} from 'node:child_process'|\bshell: (?:true|')|'(?:\/bin\/)?(?:ba)?sh', \[/g),
  ).toEqual([])
  // Rules get input too: the one that makes an expression of it is the search in output, which its own test covers.
  expect(files(/new RegExp\(/g, 'server/').filter((path) => /(?:service|routes|store)\.ts$/.test(path))).toEqual([])
  expect(found(/new RegExp\((?:q|text|body|input|value|query)\b/g, 'server/')).toEqual([
    'server/hosting/api/output.rules.ts: new RegExp(q',
  ])
})

test('cryptography is that of the page on design: its packages, ciphers and hashes, and no other random values', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const packages = Object.keys(dependencies).filter((name) =>
    /argon|bcrypt|crypt|forge|jose|jwt|noble|otp|sodium|webauthn/.test(name),
  )
  const [, listed = ''] = /these packages are used: (.*)\. Random/.exec(page) ?? []
  expect(listed.split(', ').map((name) => name.replaceAll('`', ''))).toEqual(packages)
  const ciphers = values(/create(?:C|Dec)ipheriv\('([^']+)'/g)
  expect(ciphers).toEqual(['aes-128-gcm', 'aes-256-gcm'])
  const hashes = values(/\b(?:createHash|createHmac|hash|hkdfSync)\(\s*'([^' ]+)'/g)
  expect(hashes).toEqual(['sha256'])
  for (const name of [...ciphers, ...hashes]) expect(page).toContain(`\`${name}\``)
  expect(page).toContain(decisions.dpop.algorithms.join(', '))
  expect(values(/modulusLength: (\d+)/g)).toEqual(['3072'])
  expect(page).toContain('| tokens of the private registry | RS256, 3,072 bits')
  // Without an algorithm in text there is another one.
  expect(found(/create(?:C|Dec)ipheriv\((?!')|create(?:Hash|Hmac)\((?!')/g)).toEqual([])
  // Times of retries, and the choice of an ad.
  expect(files(/Math\.random/g)).toEqual([
    'client/src/waiting.ts',
    'server/ads/domain.ts',
    'server/hosting/control/reconcile/steps.ts',
    'server/hosting/engine/docker/observation-cache.ts',
    'server/points/streams.rules.ts',
    'server/social/events/frames.ts',
    'server/webhooks/domain.ts',
  ])
})

test('the log goes to the standard output only: no other module of the service writes there or appends to a file', () => {
  expect(files(/\bpino\(/g)).toEqual(['server/platform/log.ts'])
  expect(files(/\b(?:appendFile|createWriteStream)\(/g, 'server/')).toEqual(['server/platform/postgres/backup/file.ts'])
  expect(files(/process\.std(?:out|err)\.write|openStandardOutput/g, 'server/')).toEqual([
    'server/commands/probe-image.ts',
    'server/main.ts',
    'server/platform/log-output.ts',
    'server/platform/log.ts',
    'server/processes/people.ts',
    'server/processes/stop-signals.ts',
  ])
})
