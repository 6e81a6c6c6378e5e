import { Alert, Code, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { hosting_needs } from '../../../contract/deployment-fields.ts'
import { getHostingAvailability } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Need = (typeof hosting_needs)[number]
export type Availability = AnswerOf<typeof getHostingAvailability>

const missing_texts = (): Record<Need, string> => ({
  registries: t('deployments.availability.no-registry-is-set-up-that'),
  container_hosts: t('deployments.availability.there-is-no-machine-that-runs'),
  container_engine: t('deployments.availability.no-machine-that-runs-containers-can'),
  tiers: t('deployments.availability.no-tier-is-offered'),
})

/** How to set hosting up; shown to admins. */
const remedies = (): Record<Need, ReactNode> => ({
  registries: (
    <RichText
      k="deployments.availability.set-at-least-one-of-and"
      code={<Code>REGISTRY_PUBLIC</Code>}
      code_2={<Code>REGISTRY_CODE_HOST</Code>}
      code_3={<Code>REGISTRY_PRIVATE</Code>}
      code_4={<Code>off</Code>}
    />
  ),
  container_hosts: (
    <RichText
      k="deployments.availability.start-docker-on-the-machine-of"
      code={<Code>CONTAINER_HOSTS</Code>}
      code_2={<Code>worker</Code>}
      code_3={<Code>ROLES</Code>}
    />
  ),
  container_engine: (
    <RichText
      k="deployments.availability.check-that-docker-runs-on-the"
      code={<Code>CONTAINER_HOSTS</Code>}
      code_2={<Code>worker</Code>}
    />
  ),
  tiers: (
    <RichText
      k="deployments.availability.add-a-tier-under-tiers"
      link={(part) => <Link to="/admin/tiers">{part}</Link>}
    />
  ),
})

/** The availability of hosting, polled. */
export const useAvailability = () => useApiQuery(getHostingAvailability, {}, { refetchInterval: 15_000 })

/** Whether something other than a container engine is missing. An engine may return without a change of settings. */
export const isNotSetUp = ({ missing }: Availability) => missing.some((need) => need !== 'container_engine')

/** Says what hosting lacks; admins also see how to set it up. Renders nothing if hosting is available. */
export function AvailabilityNote({ availability }: { availability: Availability | undefined }) {
  const { session } = useSession()
  if (!availability || availability.available) return null
  const { missing } = availability
  return (
    <Alert role="status" mb="lg" color="yellow" icon={<Icon name="alert" />}>
      <Text fw={600}>
        {isNotSetUp(availability)
          ? t('deployments.availability.hosting-is-not-available-here-yet')
          : t('deployments.availability.hosting-is-not-available-right-now')}
      </Text>
      <List size="sm" spacing={6} mt={6}>
        {missing.map((need) => (
          <List.Item key={need}>
            {missing_texts()[need]}
            {session?.user.is_admin && <> {remedies()[need]}</>}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={8}>
        {session?.user.is_admin ? (
          <RichText
            k="deployments.availability.these-are-settings-of-the-service"
            code={<Code>docs/hosting/README.md</Code>}
          />
        ) : (
          t('deployments.availability.the-operator-of-this-plaza-can')
        )}
      </Text>
    </Alert>
  )
}
