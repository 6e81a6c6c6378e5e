import type { adminListCases } from '../../../contract/admin-moderation.ts'
import type { CaseAction } from '../../../contract/moderation-fields.ts'
import type { AnswerOf } from '../../api/call.ts'

export type Case = AnswerOf<typeof adminListCases>['data'][number]

const action_names: Record<CaseAction, string> = {
  dismiss: 'Dismissed',
  remove_message: 'Message removed',
  mute: 'Muted',
  suspend: 'Suspended',
}

/** What was decided, in a few words. */
export const decisionText = (actions: readonly CaseAction[]) => actions.map((action) => action_names[action]).join(', ')

export const personName = ({ person_username }: Pick<Case, 'person_username'>) => person_username ?? 'Deleted account'

export const reportCount = (count: number) => (count === 1 ? '1 report' : `${count} reports`)

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
export const momentText = (moment: string) => exact.format(new Date(moment))

/** How long a mute may last, as the dialogs offer it. */
export const mute_durations = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '720', label: '30 days' },
] as const

export const hoursFromNow = (hours: string) => new Date(Date.now() + Number(hours) * 3_600_000).toISOString()
