import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { package_root } from '../../platform/package.ts'
import { databaseNameOf } from '../../test/harness.ts'
import { describeEngines, startEngines } from '../../test/engine/harness.ts'
import { startHosting } from '../../test/engine/hosting.ts'
import { someHostingApp } from '../../test/hosting-world.ts'
import { runAdmin, testDatabaseUrl } from '../../test/processes.ts'
import { runSample } from '../../test/samples.ts'

const puller = { username: 'plaza-worker', password: 'pulls what apps deploy' }

describeEngines(
  'push credentials of the private registry, with Debian’s registry and a real `docker push` (D-95)',
  async () => {
    const engines = await startEngines()
    const { host } = engines
    let configure: (host: string) => Promise<string> = () => Promise.reject(new Error('not configured'))
    const registry = await engines.addRegistry((address) => configure(address))
    const hosting = await startHosting(engines, {
      env: {
        REGISTRY_PRIVATE: registry.host,
        REGISTRY_PRIVATE_USERNAME: puller.username,
        REGISTRY_PRIVATE_PASSWORD: puller.password,
      },
    })
    const { plaza, app } = hosting

    // Engines run in separate network namespaces and reach the service through this forwarder.
    const forwarder = createServer((from) => {
      const to = connect(Number(new URL(plaza.url).port), '127.0.0.1')
      from.on('error', () => to.destroy()).pipe(to)
      to.on('error', () => from.destroy()).pipe(from)
    })
    await new Promise<void>((done) => forwarder.listen(0, engines.gateway, done))
    afterAll(() => void forwarder.close())
    const reachable = `http://${engines.gateway}:${(forwarder.address() as AddressInfo).port}`

    /** The section `auth` of docs/hosting/registry.yml, adapted to the test. */
    configure = async (address) => {
      const folder = await mkdtemp(join(tmpdir(), 'plaza-registry-'))
      afterAll(() => rm(folder, { recursive: true, force: true }))
      const made = await runAdmin(['registry-certificate'], {
        DATABASE_URL: testDatabaseUrl(await databaseNameOf(plaza)),
        SECRET_KEYS: 'a-secret-of-the-tests-long-enough-for-the-rule',
      })
      if (made.code !== 0) throw new Error(made.stderr)
      await writeFile(join(folder, 'plaza.pem'), made.stdout)
      const guide = await readFile(join(package_root, 'docs/hosting/registry.yml'), 'utf8')
      return guide
        .slice(guide.indexOf('auth:'))
        .replace('https://plaza.example.com/api', `${reachable}/api`)
        .replace('issuer: https://plaza.example.com', `issuer: ${plaza.url}`)
        .replace('service: registry.example.com', `service: ${address}`)
        .replace('/etc/docker/registry/plaza.pem', join(folder, 'plaza.pem'))
    }
    await registry.start()
    await engines.push('demo/echo', '1')

    /** A build server: Docker's command-line client with a separate configuration. */
    async function buildServer() {
      const folder = await mkdtemp(join(tmpdir(), 'plaza-docker-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const env = { ...process.env, DOCKER_HOST: `unix://${host.socket_path}`, DOCKER_CONFIG: folder }
      const docker = (args: string[], input = '') =>
        new Promise<{ code: number; output: string }>((done) => {
          const child = execFile('docker', args, { env }, (error, stdout, stderr) =>
            done({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
          )
          child.stdin?.end(input)
        })
      return {
        env,
        docker,
        login: ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
          docker(['login', '--username', client_id, '--password-stdin', registry.host], client_secret),
        /** Tags the image of the fixtures, and pushes it there. */
        async push(path: string) {
          await docker(['pull', `${engines.registry.host}/demo/echo:1`])
          await docker(['tag', `${engines.registry.host}/demo/echo:1`, `${registry.host}/${path}`])
          return docker(['push', `${registry.host}/${path}`])
        },
        pull: (path: string) => docker(['pull', `${registry.host}/${path}`]),
      }
    }
    const denied = { code: 1, output: expect.stringMatching(/denied|unauthorized/) as string }

    test('push-curl of the guide pushes an image; the worker role of the service pulls it with its own credentials, runs it, and leaves no lease', async () => {
      const { env, docker } = await buildServer()
      await docker(['pull', `${engines.registry.host}/demo/echo:1`])
      const pushed = await runSample(plaza, 'deploying.md', 'push-curl', {
        ...env,
        CLIENT_ID: app.client_id,
        CLIENT_SECRET: app.client_secret,
        REGISTRY: registry.host,
        BUILT: `${engines.registry.host}/demo/echo:1`,
      })
      const image = `${registry.host}/${app.client_id}/web:latest`
      expect(pushed.trim().split('\n').at(-1)).toBe(image)
      const { service } = await plaza.startAnother({ ...hosting.settings, ROLES: 'worker', ...workerSettings() })
      const web = await hosting.deploy(image)
      await web.reaches('running')
      expect(await web.ask()).toMatchObject({ method: 'GET' })
      await service.stop()
      expect((await web.row()).lease_owner).toBeNull()
    })
    const workerSettings = () => ({
      REGISTRY_PRIVATE: registry.host,
      REGISTRY_PRIVATE_USERNAME: puller.username,
      REGISTRY_PRIVATE_PASSWORD: puller.password,
    })

    test('after a login, an app pushes below its own path only, and pulls its own and shared images', async () => {
      const other = await someHostingApp(plaza)
      const [own, foreign] = [await buildServer(), await buildServer()]
      expect(await own.push(`${app.client_id}/deep/web:1`)).toEqual(denied)
      expect(await own.login({ ...app, client_secret: 'wrong' })).toEqual(denied)
      expect(await own.login(app)).toMatchObject({ code: 0 })
      expect(await foreign.login(other)).toMatchObject({ code: 0 })
      expect(await own.push(`${app.client_id}/deep/web:1`)).toMatchObject({ code: 0 })
      expect(await foreign.push(`${other.client_id}/web:1`)).toMatchObject({ code: 0 })
      for (const path of [`${other.client_id}/web:2`, 'shared/web:1', 'library/web:1', `${app.client_id}x/web:1`])
        expect([path, await own.push(path)]).toEqual([path, denied])
      expect(await own.pull(`${app.client_id}/deep/web:1`)).toMatchObject({ code: 0 })
      expect(await own.pull(`${other.client_id}/web:1`)).toEqual(denied)
      await engines.push('shared/base', '1')
      expect(await own.pull('shared/base:1')).toMatchObject({ code: 0 })
      // The refused pushes left nothing behind.
      const tags = await fetch(`http://${engines.registry.host}/v2/${other.client_id}/web/tags/list`)
      expect(await tags.json()).toEqual({ name: `${other.client_id}/web`, tags: ['1'] })
    })

    test('another process signs with a different key, which the registry trusts without a restart', async () => {
      const there = await plaza.startAnother({ ...hosting.settings, ROLES: 'api', ...workerSettings() })
      const scope = `repository:${app.client_id}/deep/web:pull`
      const tokens = []
      for (const { url } of [plaza, there]) {
        const asked = new URL('/api/deploy/registry/token', url)
        asked.search = new URLSearchParams({ service: registry.host, scope }).toString()
        const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')
        const reply = await fetch(asked, { headers: { authorization: `Basic ${basic}` } })
        const { token } = (await reply.json()) as { token: string }
        tokens.push(token)
        const read = await fetch(`http://${registry.host}/v2/${app.client_id}/deep/web/tags/list`, {
          headers: { authorization: `Bearer ${token}` },
        })
        expect([read.status, await read.json()]).toEqual([200, { name: `${app.client_id}/deep/web`, tags: ['1'] }])
      }
      const keys = tokens.map(
        (token) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as object,
      )
      expect(keys[0]).not.toEqual(keys[1])
      await there.service.stop()
    })
  },
)
