import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../../platform/package.ts'
import { sharedService } from '../harness.ts'
import type { SomeApp, SomeUser } from '../world.ts'
import { allow } from './browser.ts'
import { appAndUser, expectWorks } from './outcome.ts'

const is_installed = spawnSync('/usr/bin/python3', ['-c', 'import authlib, requests']).status === 0
if (!is_installed && process.env.CI === 'true')
  throw new Error('The test of Authlib needs python3-authlib and python3-requests.')
if (!is_installed)
  process.stderr.write('Left out: the test of Authlib needs Debian’s python3-authlib and python3-requests.\n')

const plaza = await sharedService()

interface Outcome {
  claims: object
  user: object
  /** The subject of the identity token of a refresh. */
  again: string
  access_token: string
}

/** Runs the script; returns its exit code, result and errors. */
async function signIn({ client_id, client_secret, redirect_uri }: SomeApp, user: SomeUser) {
  const script = join(package_root, 'server/test/clients/sign_in_with_authlib.py')
  const child = spawn('/usr/bin/python3', [script, plaza.url, client_id, client_secret, redirect_uri], {
    env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' },
  })
  const ended = once(child, 'close') as Promise<[number]>
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const begun = await lines.next()
  if (begun.done === true) throw new Error(errors)
  child.stdin.end(`${(await allow(plaza, user, begun.value)).href}\n`)
  const result = await lines.next()
  const [code] = await ended
  return { code, errors, outcome: result.done === true ? undefined : (JSON.parse(result.value) as Outcome) }
}

test.runIf(is_installed)(
  'D-103: Authlib of Debian signs in, verifies both identity tokens, reads userinfo and refreshes',
  async () => {
    const { app, user } = await appAndUser(plaza)
    const { code, errors, outcome } = await signIn(app, user)
    expect([code, errors]).toEqual([0, ''])
    expect(outcome).toMatchObject({
      claims: { sub: user.id, email: user.email, name: user.username },
      user: { sub: user.id, name: user.username },
      again: user.id,
    })
    await expectWorks(plaza, outcome?.access_token, { app, user })
  },
)
