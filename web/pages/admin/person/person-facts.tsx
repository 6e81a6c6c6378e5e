import { Code } from '@mantine/core'
import { DescriptionList } from '../../../ui/description-list.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../../../ui/format.tsx'
import { Section } from '../../../ui/page-parts.tsx'
import { momentText } from '../case-texts.ts'
import type { Person } from './types.ts'

const proofText = ({ state, expires_at }: Person['second_factor_proof']) =>
  state === 'none' || expires_at === null
    ? 'no proof of the address was asked for'
    : state === 'mailed'
      ? `a code was mailed, good until ${momentText(expires_at)}`
      : `the address is proved, until ${momentText(expires_at)}`

export const PersonFacts = ({ person }: { person: Person }) => (
  <Section mb="md">
    <DescriptionList
      items={[
        ['Joined', <RelativeTime key="at" at={person.inserted_at} />],
        ['Registered as', `number ${formatNumber(person.registration_number)}`],
        ['Tier', person.signup_multiplier > 1 ? `${person.tier}, multiplier ${person.signup_multiplier}` : person.tier],
        [
          'Points',
          person.held > 0
            ? `${formatPoints(person.points)}, and ${formatNumber(person.held)} held`
            : formatPoints(person.points),
        ],
        ['Ever earned, ever spent', `${formatNumber(person.total_earned)}, ${formatNumber(person.total_spent)}`],
        ['Apps', `${formatNumber(person.owned_apps)} registered, ${formatNumber(person.connected_apps)} connected`],
        ['Deployments', formatNumber(person.deployments)],
        [
          'Second factor',
          person.has_second_factor || person.second_factor_proof.state !== 'none'
            ? `${person.has_second_factor ? 'on' : 'off'}; ${proofText(person.second_factor_proof)}`
            : 'off',
        ],
        ['Id', <Code key="id">{person.id}</Code>],
      ]}
    />
  </Section>
)
