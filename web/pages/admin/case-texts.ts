import type { adminListCases } from '../../../contract/admin-moderation.ts'
import type { CaseAction } from '../../../contract/moderation-fields.ts'
import type { AnswerOf } from '../../api/call.ts'
import { locale, t } from '../../texts.ts'

export type Case = AnswerOf<typeof adminListCases>['data'][number]

const action_names = (): Record<CaseAction, string> => ({
  dismiss: t('admin.case-texts.dismissed'),
  remove_message: t('admin.case-texts.message-removed'),
  mute: t('common.muted'),
  suspend: t('common.suspended-2'),
})

/** The decision in a few words. */
export const decisionText = (actions: readonly CaseAction[]) =>
  actions.map((action) => action_names()[action]).join(', ')

export const personName = ({ person_username }: Pick<Case, 'person_username'>) =>
  person_username ?? t('common.deleted-account')

export const reportCount = (count: number) => t('admin.case-texts.count', { count })

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
export const momentText = (moment: string) => (moment === '' ? '' : exact.format(new Date(moment)))

/** How long a mute may last, as the dialogs offer it. */
export const mute_durations = () =>
  [
    { value: '1', label: t('admin.case-texts.1-hour') },
    { value: '24', label: t('admin.case-texts.1-day') },
    { value: '168', label: t('admin.case-texts.1-week') },
    { value: '720', label: t('common.30-days') },
  ] as const

export const hoursFromNow = (hours: string) => new Date(Date.now() + Number(hours) * 3_600_000).toISOString()
