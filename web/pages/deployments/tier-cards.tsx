import { Group, Radio, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { settings } from '../../settings.ts'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import classes from './deployments.module.css'
import { cores, memory, no_charge, price, type Tier } from './labels.ts'
import { t } from '../../texts.ts'

interface TierCardsProps {
  tiers: Tier[]
  value?: string
  onChange: (slug: string) => void
  error?: ReactNode
}

/** Radio cards of the tiers with limits, price and features. */
export const TierCards = ({ tiers, error, ...rest }: TierCardsProps) => (
  <Radio.Group
    label={t('common.hosting-tier')}
    description={
      settings.is_billing_on
        ? t('deployments.tier-cards.limits-and-the-price-of-30')
        : t('deployments.tier-cards.limits', { no_charge: no_charge() })
    }
    error={error}
    {...rest}
  >
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm" mt="xs">
      {tiers.map((tier) => (
        <Radio.Card key={tier.id} value={tier.slug} className={classes.tier} p="sm" aria-label={nameOf(tier)}>
          <Group justify="space-between" wrap="nowrap" mb={4}>
            <Text fw={650}>{tier.name}</Text>
            <Radio.Indicator />
          </Group>
          {settings.is_billing_on && (
            <Text fw={600} className="number">
              {price(tier)}
            </Text>
          )}
          {linesOf(tier).map((line) => (
            <Text key={line} size="sm" c="dimmed">
              {line}
            </Text>
          ))}
        </Radio.Card>
      ))}
    </SimpleGrid>
  </Radio.Group>
)

const nameOf = (tier: Tier) =>
  [tier.name, ...(settings.is_billing_on ? [price(tier)] : []), ...linesOf(tier)].join(', ')

const linesOf = (tier: Tier) => [
  memory(tier.memory_limit_mb),
  cores(tier.cpu_limit_millicores),
  ...(tier.replicas_max > 1
    ? [t('deployments.tier-cards.up-to-replicas-each-at-this', { replicas_max: tier.replicas_max })]
    : []),
  tier.custom_domain_allowed
    ? t('deployments.tier-cards.custom-domain-possible')
    : t('deployments.tier-cards.no-custom-domain'),
  ...(settings.is_billing_on && tier.monthly_stipend_points > 0
    ? [t('deployments.tier-cards.pays-you-back', { monthly_stipend_points: formatPoints(tier.monthly_stipend_points) })]
    : []),
  ...(Number(tier.ad_reach_multiplier) === 1
    ? []
    : [t('deployments.tier-cards.ad-reach', { times: formatNumber(Number(tier.ad_reach_multiplier)) })]),
  ...(settings.is_billing_on && tier.payment_method === 'bitcoin'
    ? [t('deployments.tier-cards.starts-once-an-admin-has-entered')]
    : []),
]
