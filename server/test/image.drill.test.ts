import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Env } from '../platform/env-reader.ts'
import { package_root, package_version } from '../platform/package.ts'
import { describeEngines, startEngines } from './engine/harness.ts'
import { isInstalled, until } from './engine/shell.ts'
import { guideCommands, runGuide } from './guide.ts'
import { composeCommand, of_project } from './image/compose.ts'
import { Docker, startConnectProxy } from './image/docker.ts'
import {
  makeBaseImages,
  makeComposeImages,
  makeSystemdImage,
  mountMemory,
  nodeIn,
  programs_of_images,
} from './image/images.ts'
import { prepareUnit, startSystemd } from './image/systemd.ts'
import { openSpender, startVisiting, visitorOf } from './image/visitor.ts'

const missing = programs_of_images.filter((program) => !isInstalled(program))
if (missing.length > 0 && process.env.CI === 'true')
  throw new Error(`The drill of the image needs ${missing.join(', ')}.`)
if (missing.length > 0) process.stderr.write(`Left out: the drill of the image needs ${missing.join(', ')}.\n`)

const image_bytes_max = 350_000_000
const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const admin_password = 'a long password'
/** As an operator runs it: the image is read-only, and the process has no privileges. */
const locked_down = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']

/** The answer to a spend of one point. */
const spent = (points: number) =>
  expect.stringMatching(
    new RegExp(`^{"success":true,"points":${points},"amount_spent":1,"transfer_id":"[0-9a-f-]{36}"}$`),
  ) as string

const runDrill = missing.length === 0 ? describeEngines : () => {}

runDrill('the image', async () => {
  const engines = await startEngines()
  const { address, socket_path } = engines.host
  const docker = new Docker(socket_path)
  const folder = await mkdtemp(join(tmpdir(), 'plaza-image-'))
  // Users in containers read the files that tests write there.
  await chmod(folder, 0o755)
  const unit = join(folder, 'unit')
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** Runs a block of the guide against this daemon. `replace` substitutes texts. */
  async function guide(
    id: string,
    { env, ...options }: { env?: Env; cwd?: string; replace?: Record<string, string> } = {},
  ) {
    const { code, stdout, stderr } = await runGuide('install.md', id, { ...docker.env, ...env }, options)
    if (code !== 0) throw new Error(`${id} ended with ${code}: ${stdout.slice(-3_000)}${stderr.slice(-3_000)}`)
    return stdout
  }

  beforeAll(async () => {
    const proxy = await startConnectProxy(engines.tls_only_address)
    const memory = await mountMemory(folder)
    const times: string[] = []
    const timed = async (what: string, work: () => Promise<unknown>) => {
      const started = performance.now()
      await work()
      times.push(`${what} ${Math.round((performance.now() - started) / 1000)} s`)
    }
    try {
      await timed('base images', () => makeBaseImages(docker, folder))
      const build = 'docker build'
      const replace = { [build]: `${build} --build-arg HTTPS_PROXY=${proxy.url}` }
      await Promise.all([
        timed('our image', () => guide('build-image', { replace })),
        timed('those of Compose', () => makeComposeImages(docker, folder)),
        timed('systemd', () => makeSystemdImage(docker, folder)),
        timed('the tree of the unit', () =>
          prepareUnit(unit, (cwd) =>
            guide('unit-build', { cwd, replace: { 'npm ci': 'true', '/opt/plaza': join(unit, 'opt') } }),
          ),
        ),
      ])
    } finally {
      proxy.close()
      await memory.close()
    }
    process.stdout.write(`image drill: ${times.join(', ')}\n`)
  }, 1_200_000)

  const untilHealthy = (name: string) =>
    until(`health of ${name}`, async () => {
      const state = await docker.inspect(name, 'json .State')
      const { Status, Health } = JSON.parse(state) as { Status: string; Health: { Status: string } }
      if (Status === 'exited') throw new Error(`${name} ended: ${(await docker.try('logs', name)).stderr}`)
      return Health.Status === 'healthy'
    })

  /** Starts a container that must end by itself; returns its exit code and output. */
  const refusal = async (...args: string[]) => {
    const { code, stdout, stderr } = await docker.try('run', '--rm', ...locked_down, ...args, 'plaza:local')
    return { code, stdout, stderr }
  }

  test.concurrent('is smaller than 350 MB, does not run as root, and contains no build tool, test, source or secret', async () => {
    const bytes = Number(await docker.inspect('plaza:local', '.Size'))
    process.stdout.write(`image drill: the image has ${Math.round(bytes / 1e6)} MB\n`)
    expect(bytes).toBeLessThan(image_bytes_max)
    const shell = (command: string) => docker.run('run', '--rm', '--entrypoint', 'sh', 'plaza:local', '-c', command)
    expect(await shell('id -u')).toBe('10001')
    expect(await shell('node --version')).toMatch(/^v24\./)
    expect(await shell('ls -A /app')).toBe('dist\nnode_modules\npackage.json')
    expect(await shell('command -v npm npx tsc || true')).toBe('')
    expect(await shell('ls -d /app/node_modules/vite /app/node_modules/typescript 2>/dev/null || true')).toBe('')
    const named = (pattern: string) => shell(`find /app -name '${pattern}' -not -path '*/node_modules/*' | head`)
    for (const pattern of ['*.ts', '*.test.*', '.env*', '.git*']) expect(await named(pattern)).toBe('')
    // The folders that the process could change: its volume and the usual places for temporary files.
    const writable = await shell('find / -xdev -writable -not -type l -not -path "/proc/*" 2>/dev/null || true')
    expect(
      writable.split('\n').filter((path) => !/^\/(data|run\/(secrets|lock)|tmp|var\/tmp|dev)\b/.test(path)),
    ).toEqual([])
  })

  test.concurrent('each error of a start is one sentence that names the setting, and nothing is written', async () => {
    const volume_of_root = join(folder, 'of-root')
    await mkdir(volume_of_root, { mode: 0o755 })
    const keys = join(folder, 'keys')
    await writeFile(keys, secret)
    await chmod(keys, 0o600)
    const no_volume =
      'Plaza cannot start. DATA_DIR is /data, which is no volume: the database in it would be lost with this container. ' +
      'Start with a volume (docker run --volume plaza:/data …), set DATABASE_URL, or DATA_VOLUME=any for a trial.\n'
    const problems = (text: string) => `Plaza cannot start. The configuration has problems:\n  ${text}\n`
    const database = ['--env', 'DATABASE_URL=postgres://plaza:hush@127.0.0.1/plaza']
    const faults: [string[], string][] = [
      [[], no_volume],
      [['--tmpfs', '/data'], no_volume],
      [
        ['--volume', `${volume_of_root}:/data`],
        'Plaza cannot start. The data folder /data cannot be used by this process, which lacks the permission (user id 10001): ' +
          'set DATA_DIR to another folder, or DATABASE_URL to your own PostgreSQL server.\n',
      ],
      [['--env', 'JWT_TLL=60'], problems('JWT_TLL is not a setting: did you mean JWT_TTL?')],
      [
        [...database, '--env', 'SECRET_KEYS_FILE=/run/secrets/secret_keys'],
        problems('SECRET_KEYS_FILE is /run/secrets/secret_keys, which does not exist'),
      ],
      [
        [...database, '--env', 'SECRET_KEYS_FILE=/run/keys', '--volume', `${keys}:/run/keys:ro`],
        problems('SECRET_KEYS_FILE is /run/keys, which cannot be read by user id 10001 (EACCES)'),
      ],
      [
        [...database, '--env', `SECRET_KEYS=${secret}`],
        'Plaza cannot start. The database of DATABASE_URL (127.0.0.1, database plaza, user plaza) cannot be used: nothing answers ' +
          'there: is PostgreSQL running? (connect ECONNREFUSED 127.0.0.1:5432).\n',
      ],
    ]
    for (const [args, stderr] of faults)
      expect([args, await refusal(...args)]).toEqual([args, { code: 1, stdout: '', stderr }])
    expect(await readdir(volume_of_root)).toEqual([])
  })

  test.concurrent('with only a volume it runs the embedded database, keeps it across a stop and a kill, and stops with 0', async () => {
    await guide('run-image', {
      replace: {
        '127.0.0.1:3000:3000 plaza:local': `${address}:3000:3000 --health-interval 2s --env ADMIN_EMAIL=root@plaza.test --env "ADMIN_PASSWORD=${admin_password}" plaza:local`,
      },
    })
    const visit = visitorOf(address, 3000)
    const signIn = async () =>
      (await visit('/api/auth/login', { body: { email: 'root@plaza.test', password: admin_password } })).status
    await untilHealthy('plaza')
    expect(await visit('/health')).toMatchObject({
      status: 200,
      body: `{"status":"ok","version":"${package_version}"}`,
    })
    for (const path of ['/', '/docs', '/docs/docs.css', '/api/openapi.json'])
      expect([path, (await visit(path)).status]).toEqual([path, 200])
    expect(await signIn()).toBe(200)
    expect(await docker.run('exec', 'plaza', 'plaza', 'admin', 'grant', 'root@plaza.test')).toContain('is an admin now')

    await docker.run('stop', '--time', '40', 'plaza')
    expect(await docker.inspect('plaza', '.State.ExitCode')).toBe('0')
    await docker.run('start', 'plaza')
    await untilHealthy('plaza')
    expect(await signIn()).toBe(200)
    await docker.run('kill', '--signal', 'KILL', 'plaza')
    await docker.run('start', 'plaza')
    await untilHealthy('plaza')
    expect(await signIn()).toBe(200)
    await docker.run('stop', '--time', '40', 'plaza')
    expect(await docker.inspect('plaza', '.State.ExitCode')).toBe('0')
    await docker.run('rm', '--volumes', 'plaza')
  }, 600_000)

  test.concurrent('compose.yaml: everything comes up from one command, a spend goes through Caddy, Prometheus sees every process, and an update loses nothing', async () => {
    const compose = await composeCommand(folder)
    const composed = (id: string, replace: Record<string, string> = {}) =>
      guide(id, {
        cwd: join(package_root, 'deploy'),
        env: { LISTEN: address },
        replace: { ...replace, 'docker compose': compose },
      })
    const container = (service: string) => `plaza_${service}_1`
    const roles = ['api-1', 'api-2', 'worker', 'router']
    await composed('compose-up')

    const visit = visitorOf(address, 8080, 'localhost:8080')
    await until('Caddy', async () => (await visit('/readyz').catch(() => undefined))?.status === 200)
    expect((await visit('/')).body).toContain('<div id="root">')
    const password = await composed('compose-password')
    const keys = await composed('compose-keys')
    expect([password.length, keys.length]).toEqual([24, 64])
    const signedIn = await visit('/api/auth/login', { body: { email: 'admin@plaza.localhost', password } })
    expect(signedIn.status).toBe(200)
    expect(await composed('compose-admin')).toContain('is an admin now')
    const session = JSON.parse(signedIn.body) as { token: string; user: { id: string } }
    const spend = await openSpender(visit, { ...session.user, token: session.token }, 10)
    expect(await spend('before')).toMatchObject({ status: 200, body: spent(9) })

    // The sandbox has another address and another database.
    await composed('compose-sandbox')
    const visitSandbox = visitorOf(address, 8080, 'sandbox.localhost:8080')
    await until('the sandbox behind Caddy', async () => {
      const health = await visitSandbox('/health').catch(() => undefined)
      return health?.status === 200 && (JSON.parse(health.body) as { sandbox?: boolean }).sandbox === true
    })
    expect(JSON.parse((await visit('/health')).body)).not.toHaveProperty('sandbox')
    const nobody = { email: 'admin@plaza.localhost', password }
    expect((await visitSandbox('/api/auth/login', { body: nobody })).status).toBe(401)
    expect((await visitSandbox('/api/sandbox/points', { body: { amount: 1 } })).status).toBe(401)
    expect((await visit('/api/sandbox/points', { body: { amount: 1 } })).status).toBe(404)
    expect(await composed('compose-sandbox-admin')).toContain('No migration is to be applied.')

    // The ports that containers reach on each other, as Caddy and Prometheus do.
    const ask = (url: string) => `fetch('${url}').then(async (r) => console.log(r.status, await r.text()))`
    const inside = (url: string) => docker.run('exec', container('api-1'), 'node', '-e', ask(url))
    for (const service of ['api-2:3000', 'worker:3000', 'router:3000', 'router:3080'])
      expect([service, await inside(`http://${service}/readyz`)]).toEqual([
        service,
        expect.stringMatching(/^200 .*"ready"/),
      ])
    expect(await inside('http://router:3080/ask?domain=nobody.apps.localhost')).toMatch(/^404 /)
    const askPrometheus = async <Data>(path: string) => {
      const answer = await inside(`http://prometheus:9090/api/v1/${path}`)
      return (JSON.parse(answer.slice('200 '.length)) as { data: Data }).data
    }
    await until('all processes as targets of Prometheus', async () => {
      const { result } = await askPrometheus<{ result: { metric: { job: string }; value: [number, string] }[] }>(
        'query?query=up',
      )
      const jobs = result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job)
      return jobs.sort().join() === 'api,api,router,worker'
    })
    const { groups } = await askPrometheus<{ groups: { rules: { name: string }[] }[] }>('rules')
    const alerts = await readFile(join(package_root, 'deploy/prometheus/alerts.yml'), 'utf8')
    const written = parse(alerts) as { groups: { rules: { alert: string }[] }[] }
    expect(groups.flatMap(({ rules }) => rules.map(({ name }) => name)).sort()).toEqual(
      written.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).sort(),
    )
    expect((await docker.try('logs', container('grafana'))).stdout).toContain('"uid"')

    // Secrets are in files of the volume: not in a setting of a container or a log, and not readable for other users.
    for (const service of [...roles, 'postgres', 'caddy', 'prometheus']) {
      const { stdout, stderr } = await docker.try('logs', container(service))
      const text = `${await docker.run('inspect', container(service))}${stdout}${stderr}`
      expect([service, [password, keys].some((value) => text.includes(value))]).toEqual([service, false])
    }
    const files = await docker.run('exec', container('api-1'), 'sh', '-c', 'stat -c "%n %a %u" /run/secrets/*')
    expect(files.split('\n')).toEqual(
      ['admin_password', 'database_password', 'database_url', 'secret_keys'].map(
        (name) => `/run/secrets/${name} 600 10001`,
      ),
    )

    const load = startVisiting(visit)
    await composed('compose-update', { 'docker compose build': 'true', '--no-deps': '--no-deps --force-recreate' })
    const statuses = await load.stop()
    const failed = statuses.filter((status) => status !== 200)
    process.stdout.write(`compose drill: ${statuses.length} requests during the update, ${failed.length} failed\n`)
    expect(failed).toEqual([])
    expect(statuses.length).toBeGreaterThan(20)

    // A stop succeeds, and starting again changes no secret and loses nothing.
    await docker.run('stop', '--time', '60', ...roles.map(container))
    for (const role of roles)
      expect([role, await docker.inspect(container(role), '.State.ExitCode')]).toEqual([role, '0'])
    await composed('compose-up')
    expect(await composed('compose-keys')).toBe(keys)
    await until('Caddy', async () => (await visit('/readyz').catch(() => undefined))?.status === 200)
    expect(await spend('before')).toMatchObject({
      status: 200,
      headers: { 'idempotency-replayed': 'true' },
      body: spent(9),
    })
    expect(await spend('after')).toMatchObject({ status: 200, body: spent(8) })
    await docker.run(
      'rm',
      '--force',
      ...(await docker.run('ps', '--quiet', '--all', '--filter', of_project)).split('\n'),
    )
  }, 900_000)

  test.concurrent('the unit of systemd: hardened, started when ready, stopped with all its processes, with secrets as credentials', async () => {
    const inside = await startSystemd(docker, { opt: join(unit, 'opt'), node: nodeIn(folder) })
    const insideGuide = async (id: string) => {
      const { code, stdout, stderr } = await inside(guideCommands('install.md', id))
      expect([
        id,
        code,
        code === 0 ? '' : `${stdout}${stderr}${(await inside('journalctl --unit plaza')).stdout}`,
      ]).toEqual([id, 0, ''])
      return stdout
    }
    expect(await inside('systemd-analyze verify deploy/plaza.service 2>&1')).toMatchObject({ code: 0, stdout: '' })
    const { code, stdout } = await inside('systemd-analyze security --offline=yes --threshold=20 deploy/plaza.service')
    process.stdout.write(`unit drill: ${stdout.trim().split('\n').at(-1)}\n`)
    expect(code).toBe(0)

    await insideGuide('unit-start')
    const ready = 'node /opt/plaza/dist/server/ready.js'
    expect(await inside(ready)).toMatchObject({ code: 0, stdout: 'ready\n' })
    expect(await insideGuide('unit-admin')).toContain('grant <email>')
    // A single process cannot be replaced: the reload is refused, and the process continues.
    expect((await inside('systemctl reload plaza')).code).not.toBe(0)
    expect((await inside('journalctl --unit plaza --output cat')).stdout).toContain(
      'A reload replaces processes one by one, which needs PROCESSES: use systemctl restart.',
    )
    expect(await inside(ready)).toMatchObject({ code: 0 })
    expect((await inside('cat /proc/[0-9]*/comm')).stdout).toMatch(/postgres/)
    await insideGuide('unit-stop')
    expect((await inside('cat /proc/[0-9]*/comm')).stdout).not.toMatch(/postgres|node|MainThread/)
    expect((await inside('systemctl show plaza --property Result --property ExecMainStatus')).stdout).toBe(
      'Result=success\nExecMainStatus=0\n',
    )

    const journal = async () => (await inside('journalctl --unit plaza --output cat')).stdout
    // Keys as a credential: a file of root that only the service can read.
    await insideGuide('unit-keys')
    const drop_in = '/etc/systemd/system/plaza.service.d'
    const credentials =
      '[Service]\nLoadCredential=secret_keys:/etc/plaza/secret_keys\nEnvironment=SECRET_KEYS_FILE=%d/secret_keys\n'
    const settings = 'MISSING_KEYS=allow\nPROCESSES=2\nDRAIN_SECONDS_API=0\n'
    await inside(
      `mkdir -p ${drop_in}; echo '${credentials}' >${drop_in}/secrets.conf; echo '${settings}' >/etc/plaza/env; systemctl daemon-reload`,
    )
    expect((await inside('stat -c "%a %U" /etc/plaza/secret_keys')).stdout).toBe('600 root\n')
    const started = await inside('systemctl start plaza')
    expect([started.code, started.code === 0 ? '' : await journal()]).toEqual([0, ''])
    expect(await inside(ready)).toMatchObject({ code: 0 })

    // A reload replaces the processes; the unit stays up.
    expect(await insideGuide('unit-reload')).toBe('')
    await until('the end of the replacement', async () => (await journal()).includes('every process was replaced'))
    expect(await inside(ready)).toMatchObject({ code: 0 })

    // With a wrong setting the command fails, and the journal contains the sentence.
    await inside('systemctl stop plaza; echo JWT_TLL=60 >/etc/plaza/env')
    expect((await inside('systemctl start plaza')).code).not.toBe(0)
    expect(await journal()).toContain('JWT_TLL is not a setting: did you mean JWT_TTL?')
    await docker.run('rm', '--force', '--volumes', 'systemd')
  }, 900_000)
})
