import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { describeEngines } from '../../../test/engine/harness.ts'
import { endProgram, isInstalled, startProgram, until } from '../../../test/engine/shell.ts'
import { deadline, faultOf } from '../../../test/engine/system-under-test.ts'
import { openEngine } from '../open.ts'

if (!isInstalled('podman') && process.env.CI === 'true') throw new Error('Tests of container engines need podman.')

describeEngines('Podman behind the driver of Docker', () => {
  test.skipIf(!isInstalled('podman'))('is refused at start with its reason', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plaza-podman-'))
    const socket_path = join(folder, 'podman.sock')
    await mkdir(join(folder, 'networks'))
    await writeFile(
      join(folder, 'containers.conf'),
      `[network]\nnetwork_config_dir = "${folder}/networks"\n[engine]\nevents_logger = "file"\ntmp_dir = "${folder}/tmp"\n`,
    )
    const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
    const settings = ['env', `CONTAINERS_CONF=${folder}/containers.conf`]
    const service = ['system', 'service', '--time=0', `unix://${socket_path}`]
    const [program = '', ...args] = [...settings, 'podman', ...storage, '--cgroup-manager', 'cgroupfs', ...service]
    const child = startProgram(join(folder, 'log'), program, ...args)
    const spec = { name: 'one', kind: 'docker', socket_path, address: '127.0.0.1' } as const
    const { engine, close } = openEngine(spec, { installation_id: 'any', network_range: '10.240.0.0/14' })
    afterAll(async () => {
      await close()
      await endProgram(child)
      await rm(folder, { recursive: true })
    })
    const fault = await until('an answer of Podman', 20, async () => {
      const found = await faultOf(engine.info(deadline()))
      return found.fault !== 'unreachable' && found
    })
    expect(fault).toEqual({
      fault: 'isolation',
      message: expect.stringMatching(/^It is Podman 4\.\S+, which is not supported: /),
    })
  })
})
