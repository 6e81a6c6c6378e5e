import { CopyButton } from '../../../ui/copy-button.tsx'
import { DescriptionList } from '../../../ui/description-list.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../../../ui/format.tsx'
import { Section } from '../../../ui/page-parts.tsx'
import { momentText } from '../case-texts.ts'
import type { Person } from './types.ts'
import { t } from '../../../texts.ts'

const proofText = ({ state, expires_at }: Person['second_factor_proof']) =>
  state === 'none' || expires_at === null
    ? t('admin.person-facts.no-proof-of-the-address-was')
    : state === 'mailed'
      ? t('admin.person-facts.a-code-was-mailed-good-until', { expires_at: momentText(expires_at) })
      : t('admin.person-facts.the-address-is-proved-until', { expires_at: momentText(expires_at) })

export const PersonFacts = ({ person }: { person: Person }) => (
  <Section mb="md">
    <DescriptionList
      items={[
        [t('common.joined'), <RelativeTime key="at" at={person.inserted_at} />],
        [
          t('admin.person-facts.registered-as'),
          t('admin.person-facts.number', { registration_number: formatNumber(person.registration_number) }),
        ],
        [
          t('common.tier'),
          person.signup_multiplier > 1
            ? t('admin.person-facts.multiplier', { tier: person.tier, signup_multiplier: person.signup_multiplier })
            : person.tier,
        ],
        [
          t('common.points'),
          person.held > 0
            ? t('admin.person-facts.and-held', { points: formatPoints(person.points), held: formatNumber(person.held) })
            : formatPoints(person.points),
        ],
        [
          t('admin.person-facts.ever-earned-ever-spent'),
          `${formatNumber(person.total_earned)}, ${formatNumber(person.total_spent)}`,
        ],
        [
          t('common.apps'),
          t('admin.person-facts.registered-connected', {
            owned_apps: formatNumber(person.owned_apps),
            connected_apps: formatNumber(person.connected_apps),
          }),
        ],
        [t('common.deployments'), formatNumber(person.deployments)],
        [
          t('admin.person-facts.second-factor'),
          t('admin.person-facts.on-or-off', {
            on: person.has_second_factor,
            told: person.has_second_factor || person.second_factor_proof.state !== 'none',
            proof: proofText(person.second_factor_proof),
          }),
        ],
        [
          t('admin.person-facts.id'),
          <CopyButton key="id" text={person.id} what={t('admin.person-facts.the-id')} size="compact-xs" />,
        ],
      ]}
    />
  </Section>
)
