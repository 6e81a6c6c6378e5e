import type { EngineClient } from '../docker/http-client.ts'
import type { Service, Task } from './services.ts'

/*
 * After a change of its leader, a Swarm has forgotten the published ports of its tasks: nodes report the state of their
 * tasks again, but without the ports (Docker 20.10). The port of a running task never changes, so a label of the
 * service stores it with the id of the task. A change of a service's labels does not restart its task.
 */
const published_label = 'plaza.published'

/** Writes of one observation. */
const writes_max = 20

const portOf = ({ Status }: Task) =>
  Status?.State === 'running' ? Status.PortStatus?.Ports?.[0]?.PublishedPort : undefined

/** The tasks of a service, with the port that the Swarm has forgotten. */
export function withKnownPorts({ Spec }: Service, tasks: readonly Task[]): Task[] {
  const [id, port] = (Spec.Labels[published_label] ?? '').split(' ')
  return tasks.map((task) =>
    task.ID === id && task.Status?.State === 'running' && portOf(task) === undefined
      ? { ...task, Status: { ...task.Status, PortStatus: { Ports: [{ PublishedPort: Number(port) }] } } }
      : task,
  )
}

/**
 * The task that a Swarm wants for a service, and its port, in the format of the label. A task on a lost host stays
 * `running` beside it permanently, with a port that does not answer.
 */
export function publishedTask(tasks: readonly Task[]): string | undefined {
  const wanted = tasks.find((task) => task.DesiredState === 'running' && portOf(task) !== undefined)
  return wanted && `${wanted.ID} ${portOf(wanted)}`
}

/** Saves the currently known ports, a bounded number at a time. A failed write is repeated after a later observation. */
export async function keepPorts(
  client: EngineClient,
  observed: readonly { service: Service; tasks: readonly Task[] }[],
  signal: AbortSignal,
) {
  const changes = observed.flatMap(({ service, tasks }) => {
    const published = publishedTask(tasks)
    return published === undefined || service.Spec.Labels[published_label] === published ? [] : [{ service, published }]
  })
  await Promise.all(
    changes.slice(0, writes_max).map(({ service: { ID, Version, Spec }, published }) =>
      client
        .call('POST', `/services/${ID}/update`, {
          signal,
          query: { version: String(Version.Index) },
          body: { ...Spec, Labels: { ...Spec.Labels, [published_label]: published } },
        })
        .catch(() => {}),
    ),
  )
}
