import { transfer_kinds, type myPointsHistory } from '../../../contract/points.ts'
import { listFriends } from '../../../contract/social.ts'
import type { AnswerOf, InputOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'

export type Movement = AnswerOf<typeof myPointsHistory>['data'][number]
export type Kind = Movement['kind']
export type Filter = Pick<NonNullable<NonNullable<InputOf<typeof myPointsHistory>[0]>['query']>, 'kind' | 'direction'>

/** Labels of the kinds. */
export const kind_names: Record<Kind, string> = {
  award: 'Award',
  spend: 'Spent in an app',
  refund: 'Refund',
  transfer: 'Between people',
  signup: 'For registering',
  referral: 'For a referral',
  reward: 'Learning reward',
  charge: 'Hosting',
  stipend: 'Hosting stipend',
}

export const kinds: readonly Kind[] = transfer_kinds

/** Parses the filter of the URL; unknown values are ignored. */
export const filterOf = ({ kind, direction }: { kind?: unknown; direction?: unknown }): Filter => ({
  ...(kinds.includes(kind as Kind) && { kind: kind as Kind }),
  ...((direction === 'in' || direction === 'out') && { direction }),
})

export const titleOf = ({ kind, direction }: Movement) =>
  kind === 'transfer' ? (direction === 'in' ? 'Received' : 'Sent') : kind_names[kind]

/** Names of the apps and people in movements; people's are those of the user's friends. */
export function useNames(movements: readonly Movement[]) {
  const of_people = { enabled: movements.some(({ other_user_id }) => other_user_id !== null) }
  const friends = useApiQuery(listFriends, {}, of_people)
  const names = new Map([
    ...movements.flatMap(({ app_id, app_name }) =>
      app_id === null || app_name === null ? [] : [[app_id, app_name] as const],
    ),
    ...(friends.data ?? []).map(({ id, username }) => [id, username] as const),
  ])
  return (id: string | null) => (id === null ? undefined : names.get(id))
}
