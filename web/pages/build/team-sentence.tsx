import type { TeamAction } from '../../../contract/kinds/team-actions.ts'
import type { listTeamLog } from '../../../contract/teams.ts'
import type { AnswerOf } from '../../api/call.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { t } from '../../texts.ts'
import { roleLabel } from './roles.ts'

const sentences = {
  'team.create': 'build.team-log.create',
  'team.rename': 'build.team-log.rename',
  'team.require_second_factor': 'build.team-log.require-second-factor',
  'team.allow_one_factor': 'build.team-log.allow-one-factor',
  'team.delete': 'build.team-log.delete',
  'team.invite': 'build.team-log.invite',
  'team.withdraw_invitation': 'build.team-log.withdraw-invitation',
  'team.decline': 'build.team-log.decline',
  'team.join': 'build.team-log.join',
  'team.change_role': 'build.team-log.change-role',
  'team.remove': 'build.team-log.remove',
  'team.leave': 'build.team-log.leave',
  'team.take_app': 'build.team-log.take-app',
  'team.give_app': 'build.team-log.give-app',
} as const satisfies Record<TeamAction, string>

/** An entry of the log of a team as a sentence. */
export function TeamSentence({ entry }: { entry: AnswerOf<typeof listTeamLog>['data'][number] }) {
  const { action, actor_username, subject_name, role } = entry
  const named = (name: string | null) => <bdi className="user-content">{name ?? t('common.somebody-who-left')}</bdi>
  const values = {
    actor: named(actor_username),
    subject: named(subject_name),
    role: role === null ? '' : roleLabel(role),
  }
  return <RichText k={sentences[action]} {...values} />
}
