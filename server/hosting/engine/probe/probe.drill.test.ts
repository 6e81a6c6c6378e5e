import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { describeEngines } from '../../../test/engine/harness.ts'
import { isInstalled } from '../../../test/engine/shell.ts'
import { package_root } from '../../../platform/package.ts'
import { programs } from './program.ts'

const compilers = ['gcc', 'aarch64-linux-gnu-gcc']
const missing = compilers.filter((compiler) => !isInstalled(compiler))
if (missing.length > 0 && process.env.CI === 'true')
  throw new Error(`The program of the probe needs ${missing.join(', ')}.`)
if (missing.length > 0)
  process.stderr.write(`Skipped: building the program of the probe needs ${missing.join(', ')}.\n`)

const work = mkdtempSync(join(tmpdir(), 'plaza-probe-'))
afterAll(() => rmSync(work, { recursive: true }))
const run = (program: string, ...args: string[]) => {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', cwd: package_root })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}

test.skipIf(missing.length > 0)('the committed program is the output of its source, for both processors', () => {
  run('npx', 'tsx', 'scripts/probe-program.ts', work)
  for (const [processor, program] of Object.entries(programs))
    expect([processor, readFileSync(join(work, `probe-${processor}`)).toString('base64')]).toEqual([processor, program])
})

describeEngines('the program of the probe', () => {
  test('distinguishes a listener, a machine without one, each kind of firewall, and a missing route', () => {
    const namespace = `plz-probe-${process.pid}`
    const path = join(work, 'probe')
    const script = [
      `printf %s "$0" | base64 -d > ${path} && chmod +x ${path}`,
      'ip link set lo up',
      'iptables -A INPUT -p tcp --dport 91 -j REJECT',
      'iptables -A INPUT -p tcp --dport 92 -j REJECT --reject-with icmp-admin-prohibited',
      'iptables -A INPUT -p tcp --dport 93 -j DROP',
      `${path} listen 90 & while ! ${path} reach 500 127.0.0.1:90 | grep -q connected; do sleep 0.1; done`,
      `${path} reach 500 127.0.0.1:90 127.0.0.1:89 127.0.0.1:91 127.0.0.1:92 127.0.0.1:93 10.1.1.1:80 gateway:80`,
      'kill $!',
    ].join('; ')
    run('ip', 'netns', 'add', namespace)
    try {
      const { amd64, arm64 } = programs
      const own = process.arch === 'arm64' ? arm64 : amd64
      expect(run('ip', 'netns', 'exec', namespace, 'sh', '-c', script, own).split('\n').slice(-9)).toEqual([
        '127.0.0.1:90 connected',
        '127.0.0.1:89 refused',
        '127.0.0.1:91 rejected',
        '127.0.0.1:92 unreachable',
        '127.0.0.1:93 silent',
        '10.1.1.1:80 unreachable',
        'gateway:80 unreachable',
        'done',
        '',
      ])
    } finally {
      run('ip', 'netns', 'delete', namespace)
    }
  })
})
