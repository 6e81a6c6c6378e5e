import { Alert, Code, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { hosting_needs } from '../../../contract/deployment-fields.ts'
import { getHostingAvailability } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'

type Need = (typeof hosting_needs)[number]
export type Availability = AnswerOf<typeof getHostingAvailability>

const missing_texts: Record<Need, string> = {
  registries: 'No registry is set up that images may come from.',
  container_hosts: 'There is no machine that runs containers.',
  container_engine: 'No machine that runs containers can be reached at the moment.',
  tiers: 'No tier is offered.',
}

/** Shown to admins: how to set it up. */
const remedies: Record<Need, ReactNode> = {
  registries: (
    <>
      Set at least one of <Code>REGISTRY_PUBLIC</Code>, <Code>REGISTRY_CODE_HOST</Code> and{' '}
      <Code>REGISTRY_PRIVATE</Code> to the host of a registry in place of <Code>off</Code>.
    </>
  ),
  container_hosts: (
    <>
      Start Docker on the machine of Plaza, or name other machines in <Code>CONTAINER_HOSTS</Code>. A process with the
      role <Code>worker</Code> (<Code>ROLES</Code>) has to run.
    </>
  ),
  container_engine: (
    <>
      Check that Docker runs on the machines in <Code>CONTAINER_HOSTS</Code> and that a process with the role{' '}
      <Code>worker</Code> runs.
    </>
  ),
  tiers: (
    <>
      Add a tier under <Link to="/admin/tiers">Tiers</Link>.
    </>
  ),
}

/** Whether this Plaza can host containers now. Polled. */
export const useAvailability = () => useApiQuery(getHostingAvailability, {}, { refetchInterval: 15_000 })

/** More is missing than a container engine, which may come back without a change of settings. */
export const isNotSetUp = ({ missing }: Availability) => missing.some((need) => need !== 'container_engine')

/** Says what hosting lacks; admins also see how to set it up. Renders nothing when hosting is available. */
export function AvailabilityNote({ availability }: { availability: Availability | undefined }) {
  const { session } = useSession()
  if (!availability || availability.available) return null
  const { missing } = availability
  return (
    <Alert role="status" mb="lg" color="yellow" icon={<Icon name="alert" />}>
      <Text fw={600}>
        {isNotSetUp(availability) ? 'Hosting is not available here yet' : 'Hosting is not available right now'}
      </Text>
      <List size="sm" spacing={6} mt={6}>
        {missing.map((need) => (
          <List.Item key={need}>
            {missing_texts[need]}
            {session?.user.is_admin && <> {remedies[need]}</>}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={8}>
        {session?.user.is_admin ? (
          <>
            These are settings of the service; <Code>docs/hosting/README.md</Code> explains them. Restart it after a
            change.
          </>
        ) : (
          'The operator of this Plaza can set it up. This page updates automatically.'
        )}
      </Text>
    </Alert>
  )
}
