import type { Listener } from '../../containers.rules.ts'
import { parseListeners } from '../probe/listeners.ts'
import type { Container } from './containers.ts'
import type { DockerHost } from './host.ts'
import { loadProgram, outputOf, probeName, probe_label, probe_workload, removeOne } from './probe.ts'

const cleanup_ms = 20_000

/** The addresses on which the programs of a running container listen. The probe's program reads them in the container's network. */
export async function readListeners(host: DockerHost, { Id }: Container, signal: AbortSignal): Promise<Listener[]> {
  const { client, dialect, installation_id, address } = host
  const { LogConfig } = dialect.hostConfig({ ...probe_workload, app_id: '' }, { network: '', address })
  const created = await client.call<{ Id: string }>('POST', '/containers/create', {
    signal,
    query: { name: probeName() },
    body: {
      Image: await loadProgram(host, signal),
      Cmd: ['sockets', '0'],
      StopTimeout: 0,
      Labels: { [probe_label]: installation_id },
      HostConfig: {
        LogConfig,
        NetworkMode: `container:${Id}`,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: probe_workload.memory_mb * 1_048_576,
        PidsLimit: 16,
        RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      },
    },
  })
  try {
    await client.call('POST', `/containers/${created.Id}/start`, { signal })
    return parseListeners((await outputOf(host, created.Id, signal)).join('\n'))
  } finally {
    await removeOne(host, created.Id, AbortSignal.timeout(cleanup_ms)).catch(() => {})
  }
}
