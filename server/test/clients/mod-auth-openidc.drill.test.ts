import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { logout } from '../../../contract/accounts.ts'
import { updateMyApp } from '../../../contract/oauth-apps.ts'
import { describeLogout } from '../../../contract/openid.ts'
import { listDeliveries, listWebhooks } from '../../../contract/webhooks.ts'
import { freePort } from '../free-port.ts'
import { startTestService } from '../harness.ts'
import { startProcess } from '../processes.ts'
import { sampleText } from '../samples.ts'
import { isOk, waitUntil } from '../wait.ts'
import { signedInAgain, type SomeApp, type SomeUser } from '../world.ts'
import { allow, cookieJar } from './browser.ts'
import { appAndUser } from './outcome.ts'

const modules = '/usr/lib/apache2/modules'
const is_installed = existsSync(`${modules}/mod_auth_openidc.so`) && existsSync('/usr/sbin/apache2')
const needed = 'The test of mod_auth_openidc needs apache2 and libapache2-mod-auth-openidc.'
if (!is_installed && process.env.CI === 'true') throw new Error(needed)
if (!is_installed) process.stderr.write(`Left out: ${needed}\n`)

const plaza = await startTestService({ WEBHOOK_ADDRESSES: 'any' })

/** Apache with the settings of the guide, in front of a page that only signed-in people may see. The page shows who they are. */
async function startApache(port: number, { client_id, client_secret }: SomeApp) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-apache-'))
  await mkdir(join(folder, 'pages/inside'), { recursive: true })
  await writeFile(join(folder, 'pages/inside/index.html'), 'inside\n')
  await writeFile(join(folder, 'pages/index.html'), 'outside\n')
  const load = ['mpm_event', 'authz_core', 'authz_user', 'authn_core', 'dir', 'headers', 'auth_openidc']
  const guide = sampleText(plaza, 'sign-in.md', 'apache')
    .replace('YOUR_CLIENT_ID', client_id)
    .replace('YOUR_CLIENT_SECRET', client_secret)
    .replace('https://app.example', `http://127.0.0.1:${port}`)
    .replace('A_LONG_RANDOM_TEXT', 'a-passphrase-of-the-test')
  const config = `
ServerName 127.0.0.1
ServerRoot ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/errors
Listen 127.0.0.1:${port}
User nobody
Group nogroup
${load.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
DocumentRoot ${folder}/pages
DirectoryIndex index.html
${guide}
OIDCCacheShmMax 100
<Directory ${folder}/pages>
  Require all granted
</Directory>
<Location /inside>
  Header always set X-User expr=%{REMOTE_USER}
  Header always set X-Claims "%{OIDC_CLAIM_name}e %{OIDC_CLAIM_email}e"
</Location>`
  await writeFile(join(folder, 'apache.conf'), config)
  // Another user reads the pages.
  for (const path of [folder, join(folder, 'pages')]) await chmod(path, 0o755)
  const started = startProcess('/usr/sbin/apache2', ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], {})
  onTestFinished(async () => {
    started.child.kill('SIGTERM')
    await started.ended
    await rm(folder, { recursive: true, force: true })
  })
  const errors = () => readFile(join(folder, 'errors'), 'utf8').catch(() => '')
  await waitUntil(
    () => isOk(`http://127.0.0.1:${port}/`),
    () => `Apache (${started.stderr()})`,
  )
  return errors
}

/** A browser with a cookie jar that does not follow redirects automatically. */
function someBrowser() {
  const cookies = cookieJar()
  return async (url: string | URL) => {
    // Apache treats Node's `fetch`, which sends its mode, like a script: 401 instead of a redirect.
    const { statusCode, headers, body } = await request(url, {
      headers: { cookie: cookies.header(), accept: 'text/html' },
    })
    await body.dump()
    cookies.keep([headers['set-cookie'] ?? []].flat())
    return { status: statusCode, location: String(headers.location), headers }
  }
}

async function signIn(visit: ReturnType<typeof someBrowser>, inside: string, user: SomeUser) {
  const sent = await visit(inside)
  expect(sent.status).toBe(302)
  return visit(await allow(plaza, user, sent.location))
}

test.runIf(is_installed)(
  'D-103: Apache’s mod_auth_openidc lets people in by Plaza, knows who they are, and signs them out',
  async () => {
    const port = await freePort()
    const site = `http://127.0.0.1:${port}`
    const { app, user } = await appAndUser(plaza, `${site}/inside/callback`)
    const errors = await startApache(port, app)
    const visit = someBrowser()
    const arrived = await signIn(visit, `${site}/inside/`, user)
    expect([arrived.status, arrived.location], await errors()).toEqual([302, `${site}/inside/`])
    const page = await visit(`${site}/inside/`)
    expect([page.status, page.headers['x-user']]).toEqual([200, user.id])
    expect(page.headers['x-claims']).toBe(`${user.username} ${user.email}`)

    const leaving = await visit(`${site}/inside/callback?logout=${encodeURIComponent(`${site}/`)}`)
    const { origin, pathname, searchParams } = new URL(leaving.location)
    expect(origin + pathname).toBe(`${plaza.url}/oauth/logout`)
    const described = await new PlazaClient(plaza.url).result(describeLogout, {
      query: Object.fromEntries(searchParams),
    })
    expect(described).toMatchObject({ user_id: user.id, redirect_uri: `${site}/` })
    expect((await visit(`${site}/inside/`)).status).toBe(302)
  },
)

test.runIf(is_installed)(
  'D-155: a person who signs out at Plaza is signed out by Apache’s mod_auth_openidc',
  async () => {
    const port = await freePort()
    const site = `http://127.0.0.1:${port}`
    const { app, user } = await appAndUser(plaza, `${site}/inside/callback`)
    await app.owner.api.result(updateMyApp, {
      params: { id: app.id },
      body: { backchannel_logout_uri: `${site}/inside/callback?logout=backchannel` },
    })
    await startApache(port, app)
    const [visit, other] = [someBrowser(), someBrowser()]
    await signIn(visit, `${site}/inside/`, user)
    const elsewhere = await signedInAgain(plaza, user)
    await signIn(other, `${site}/inside/`, elsewhere)
    for (const browser of [visit, other]) expect((await browser(`${site}/inside/`)).status).toBe(200)

    await user.api.result(logout)
    await waitUntil(async () => (await visit(`${site}/inside/`)).status === 302, 'the sign-out at Apache')
    // The session of another sign-in continues.
    expect((await other(`${site}/inside/`)).status).toBe(200)
    const params = { id: app.id }
    const { webhooks } = await app.owner.api.result(listWebhooks, { params })
    const of_logout = { ...params, webhook_id: webhooks[0]!.id }
    await waitUntil(async () => {
      const { data } = await app.owner.api.result(listDeliveries, { params: of_logout })
      return data.length === 1 && data[0]?.status === 'succeeded'
    }, 'one delivery')
  },
)
