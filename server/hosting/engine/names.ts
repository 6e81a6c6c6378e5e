import { createHash, randomBytes } from 'node:crypto'
import type { InstanceName, Workload } from './engine.ts'

/** The labels of every object of the platform. A label alone proves nothing: containers inherit the labels of their image. */
const label = {
  installation: 'plaza.installation',
  deployment: 'plaza.deployment',
  generation: 'plaza.generation',
  app: 'plaza.app',
  /** Absent on the first replica, because version 0.1 knew only one. */
  replica: 'plaza.replica',
  /** True if the image was pulled for this instance. */
  pulled: 'plaza.pulled',
}

type Labels = Record<string, string>

export const nameOf = ({ id, generation, replica }: InstanceName) =>
  `plaza-${id}-${generation}${replica === 1 ? '' : `-r${replica}`}`

/**
 * Docker allows two networks of one name and then refuses to use the name: each gets a random suffix. A Swarm keeps names
 * unique, so a fixed name per installation makes concurrent callers meet at one network.
 */
export function newNetworkName({ installation_id, app_id, scope }: NetworkNaming) {
  const suffix = scope === 'swarm' ? createHash('sha256').update(installation_id).digest() : randomBytes(4)
  return `plaza-app-${app_id}-${suffix.toString('hex', 0, 4)}`
}

interface NetworkNaming {
  installation_id: string
  app_id: string
  scope: 'local' | 'swarm'
}

export const labelsOf = (
  installation_id: string,
  { id, generation, replica, app_id }: Workload,
  pulled: boolean,
): Labels => ({
  [label.installation]: installation_id,
  [label.deployment]: id,
  [label.generation]: String(generation),
  [label.app]: app_id,
  ...(replica === 1 ? {} : { [label.replica]: String(replica) }),
  [label.pulled]: String(pulled),
})

export const networkLabelsOf = (installation_id: string, app_id: string): Labels => ({
  [label.installation]: installation_id,
  [label.app]: app_id,
})

export interface Owned extends InstanceName {
  app_id: string
  pulled: boolean
}

/** The owner of an object by its labels and its name; undefined if they disagree or another installation created it. */
export function ownedBy(installation_id: string, name: string, labels: Labels | null | undefined): Owned | undefined {
  const id = labels?.[label.deployment]
  const app_id = labels?.[label.app]
  const generation = Number(labels?.[label.generation])
  const replica = Number(labels?.[label.replica] ?? 1)
  if (labels?.[label.installation] !== installation_id || id === undefined || app_id === undefined) return undefined
  if (name.replace(/^\//, '') !== nameOf({ id, generation, replica })) return undefined
  return { id, app_id, generation, replica, pulled: labels[label.pulled] === 'true' }
}

/** True if a removal applies to this instance. */
export const isMeant = (
  { generation, replica }: { generation?: number; replica?: number },
  instance: Pick<InstanceName, 'generation' | 'replica'>,
) =>
  (generation === undefined || generation === instance.generation) &&
  (replica === undefined || replica === instance.replica)

/** True if a network is the app's, by its labels and its name. */
export const isNetworkOf = (
  { installation_id, app_id }: { installation_id: string; app_id: string },
  { Name, Labels }: { Name: string; Labels?: Labels | null },
) =>
  Labels?.[label.installation] === installation_id &&
  Labels[label.app] === app_id &&
  /^[0-9a-f]{8}$/.test(Name.replace(`plaza-app-${app_id}-`, ''))

/** The engine's list filter for objects with these labels. */
export const filterFor = (installation_id: string, narrower: { deployment?: string; app?: string } = {}) =>
  JSON.stringify({
    label: [
      `${label.installation}=${installation_id}`,
      ...(narrower.deployment === undefined ? [] : [`${label.deployment}=${narrower.deployment}`]),
      ...(narrower.app === undefined ? [] : [`${label.app}=${narrower.app}`]),
    ],
  })
