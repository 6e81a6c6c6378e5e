import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { package_root } from '../../platform/package.ts'
import { run, until } from '../engine/shell.ts'
import { buildConsole, buildServer } from '../build.ts'
import type { Docker } from './docker.ts'

/** The files that a build reads, and the build of this clone. */
const built_from = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts',
  'dist',
  'contract',
  'client',
  'content',
  'server',
  'web',
]

/**
 * Creates a clone in `unit` and runs the guide's block in it. It uses the dependencies of this clone, because fetching them takes minutes.
 */
export async function prepareUnit(unit: string, build: (cwd: string) => Promise<unknown>) {
  await mkdir(unit)
  await buildServer()
  await buildConsole()
  await run('cp', '--archive', ...built_from.map((name) => join(package_root, name)), unit)
  await run('cp', '--archive', '--link', join(package_root, 'node_modules'), unit)
  // npm would write to this file, which belongs to this clone.
  await rm(join(unit, 'node_modules/.package-lock.json'))
  await build(unit)
  // Without build tools, a start builds nothing, even if a source is newer.
  await writeFile(join(unit, 'server/newer.ts'), 'export {}')
  const output = await run('sh', '-c', `cd ${unit} && node scripts/start.mjs admin --help 2>&1`)
  expect(output).toContain('grant <email>')
  expect(output).not.toContain('Building')
}

/**
 * A container that acts as a machine with Node, the built service as the guide's block installs it, and the deploy folder of a clone.
 * Returns a function that runs a command in it.
 */
export async function startSystemd(docker: Docker, { opt, node }: { opt: string; node: string }) {
  const system = ['--cap-add', 'SYS_ADMIN', '--cap-add', 'SYS_PTRACE', '--security-opt', 'seccomp=unconfined']
  const machine = ['--cgroupns', 'host', '--tmpfs', '/run', '--tmpfs', '/run/lock', '--env', 'container=docker']
  const volumes = [
    '/sys/fs/cgroup:/sys/fs/cgroup',
    `${opt}:/opt/plaza:ro`,
    `${node}:/usr/bin/node:ro`,
    `${join(package_root, 'deploy')}:/src/deploy:ro`,
  ]
  const mounts = volumes.flatMap((volume) => ['--volume', volume])
  const start = ['--stop-signal', 'SIGRTMIN+3', '--name', 'systemd', 'debian:systemd', '/sbin/init']
  await docker.run('run', '--detach', ...system, ...machine, ...mounts, ...start)
  const inside = (command: string) => docker.try('exec', '--workdir', '/src', 'systemd', 'sh', '-euc', command)
  // The same as on a machine: systemd leaves the mounts of a container private, and then a unit does not see its credentials.
  await inside('mount --make-rshared /')
  await until('systemd', async () => (await inside('systemctl is-system-running')).stdout.trim() === 'running')
  return inside
}
