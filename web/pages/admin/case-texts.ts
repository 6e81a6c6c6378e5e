import type { adminListCases } from '../../../contract/admin-moderation.ts'
import { look_removals, type ReportKind } from '../../../contract/kinds/reports.ts'
import type { CaseAction } from '../../../contract/moderation-fields.ts'
import type { AnswerOf } from '../../api/call.ts'
import { locale, t } from '../../texts.ts'

export type Case = AnswerOf<typeof adminListCases>['data'][number]

const action_names = (): Record<CaseAction, string> => ({
  dismiss: t('admin.case-texts.dismissed'),
  remove_message: t('admin.case-texts.message-removed'),
  remove_display_name: t('admin.case-texts.display-name-removed'),
  remove_picture: t('admin.case-texts.picture-removed'),
  mute: t('common.muted'),
  suspend: t('common.suspended-2'),
})

/** The subjects of the reports, in a few words. */
export const kindText = ({ kinds }: Pick<Case, 'kinds'>) => kinds.map((kind) => kind_names()[kind]).join(', ')

export const kind_names = (): Record<ReportKind, string> => ({
  message: t('admin.case-texts.message'),
  person: t('common.person'),
  display_name: t('common.display-name'),
  picture: t('admin.case-texts.picture'),
})

const removals = { message: 'remove_message', ...look_removals } as const

/** The removals that are possible now, and whether their subject was reported. */
export const removalsOf = ({ kinds, message_id, person_display_name, person_picture_url }: Case) =>
  (['message', 'display_name', 'picture'] as const)
    .filter(
      (kind) =>
        ({ message: message_id, display_name: person_display_name, picture: person_picture_url })[kind] !== null,
    )
    .map((kind) => ({ action: removals[kind], is_reported: kinds.includes(kind) }))

/** The decision in a few words. */
export const decisionText = (actions: readonly CaseAction[]) =>
  actions.map((action) => action_names()[action]).join(', ')

export const personName = ({ person_username }: Pick<Case, 'person_username'>) =>
  person_username ?? t('common.deleted-account')

export const reportCount = (count: number) => t('admin.case-texts.count', { count })

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
export const momentText = (moment: string) => (moment === '' ? '' : exact.format(new Date(moment)))

export const hoursFromNow = (hours: string) => new Date(Date.now() + Number(hours) * 3_600_000).toISOString()
