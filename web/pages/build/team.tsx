import { Badge, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useParams, useRouter, useSearch } from '@tanstack/react-router'
import { me } from '../../../contract/accounts.ts'
import { includesRole, member_roles, type MemberRole } from '../../../contract/kinds/member-roles.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import {
  deleteTeam,
  getTeam,
  inviteMember,
  listInvitations,
  listTeamLog,
  listTeams,
  removeMember,
  updateMember,
  updateTeam,
  withdrawInvitation,
} from '../../../contract/teams.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiMutation, useApiQuery, usePagedQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PersonAvatar } from '../../ui/person.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'
import { roleLabel, roleNote, roleOptions } from './roles.ts'
import { TeamSentence } from './team-sentence.tsx'

type Answer = AnswerOf<typeof getTeam>
type Team = Answer['team']
type Member = Answer['members'][number]

/** A team: its members and invitations, its log and its settings. */
export default function TeamPage() {
  const { id } = useParams({ from: '/teams/$id' })
  const { tab } = useSearch({ from: '/teams/$id' })
  const query = useApiQuery(getTeam, { params: { id } })
  if (isApiError(query.error, 'second_factor_required')) return <WithoutFactor id={id} error={query.error} />
  return (
    <QueryResult query={query}>
      {({ team, members }) => (
        <>
          <PageHead
            title={<bdi className="user-content">{team.name}</bdi>}
            about={t('build.team.your-role', { role: roleLabel(team.role) })}
            actions={
              team.apps > 0 && (
                <LinkButton to="/apps" search={{ team: id }} variant="default">
                  {t('build.team.its-apps')}
                </LinkButton>
              )
            }
          />
          <PageTabs
            label={t('build.team.parts')}
            title={team.name}
            tab={tab}
            tabs={{
              members: [t('build.team.members'), () => <Members team={team} members={members} />],
              log: [t('build.team.log'), () => <Log id={team.id} />],
              settings: [t('common.settings'), () => <Settings key={team.id} team={team} />],
            }}
          />
        </>
      )}
    </QueryResult>
  )
}

/** A team for a member who lacks the second factor that it requires: they can only leave. */
function WithoutFactor({ id, error }: { id: string; error: unknown }) {
  const user_id = useApiQuery(me, {}).data?.user.id
  const team = useApiQuery(listTeams, {}).data?.teams.find((one) => one.id === id)
  return (
    <>
      {team && user_id !== undefined && (
        <PageHead
          title={<bdi className="user-content">{team.name}</bdi>}
          about={t('build.team.your-role', { role: roleLabel(team.role) })}
          actions={<Leave team={team} params={{ id, user_id }} />}
        />
      )}
      <FailureNote error={error} />
    </>
  )
}

const stale = [getTeam, listTeams, listTeamLog, listInvitations, listMyApps]
/** The roles that a member may give. */
const givenBy = (own: MemberRole) => member_roles.filter((role) => includesRole(own, role))

function Members({ team, members }: Answer) {
  return (
    <Stack>
      <Section maw={860}>
        <Rows label={t('build.team.members')}>
          {members.map((member) => (
            <Entry key={member.user_id} team={team} member={member} />
          ))}
        </Rows>
      </Section>
      {includesRole(team.role, 'admin') && <Invitations team={team} />}
    </Stack>
  )
}

function Entry({ team, member }: { team: Team; member: Member }) {
  const own = useApiQuery(me, {}).data?.user.id === member.user_id
  const change = useApiMutation(updateMember, { invalidates: stale, onDone: () => notify(t('common.saved')) })
  const params = { id: team.id, user_id: member.user_id }
  const may_change = includesRole(team.role, 'admin') && includesRole(team.role, member.role)
  return (
    <Row
      lead={{ element: <PersonAvatar person={member} size={32} /> }}
      action={
        <Group gap="xs">
          {may_change ? (
            <NativeSelect
              size="xs"
              aria-label={t('build.team.role-of', { name: member.username })}
              value={member.role}
              disabled={change.isPending}
              data={roleOptions(givenBy(team.role))}
              onChange={(event) => change.mutate({ params, body: { role: event.currentTarget.value as MemberRole } })}
            />
          ) : (
            <Badge>{roleLabel(member.role)}</Badge>
          )}
          {own ? (
            <Leave team={team} params={params} />
          ) : (
            may_change && <Removal name={member.username} params={params} />
          )}
        </Group>
      }
    >
      <Group gap="xs">
        <Text fw={550} className="user-content">
          {member.username}
        </Text>
        {member.suspended && <Badge color="red">{t('common.suspended')}</Badge>}
        {member.lacks_second_factor && <Badge color="yellow">{t('build.team.no-second-factor')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        <RichText k="build.team.joined" time={<RelativeTime at={member.joined_at} />} />
      </Text>
      <FailureNote error={change.error} />
    </Row>
  )
}

/** The same for both buttons, so that the selects beside them are aligned. */
const button_width = 92

const Removal = ({ name, params }: { name: string; params: { id: string; user_id: string } }) => (
  <ConfirmButton
    label={t('common.remove-2')}
    button={{ variant: 'subtle', color: 'red', miw: button_width, 'aria-label': t('common.remove', { name }) }}
    endpoint={removeMember}
    input={{ params }}
    invalidates={stale}
    title={t('common.remove', { name })}
    action={t('common.remove-2')}
  >
    <Text size="sm">{t('build.team.remove-means')}</Text>
  </ConfirmButton>
)

function Leave({ team, params }: { team: Pick<Team, 'name'>; params: { id: string; user_id: string } }) {
  const router = useRouter()
  return (
    <ConfirmButton
      label={t('common.leave')}
      button={{ miw: button_width }}
      endpoint={removeMember}
      input={{ params }}
      invalidates={[listTeams, listMyApps]}
      onDone={() => void router.navigate({ to: '/teams' })}
      title={t('build.team.leave', { name: team.name })}
      action={t('common.leave')}
    >
      <Text size="sm">{t('build.team.leave-means')}</Text>
    </ConfirmButton>
  )
}

function Invitations({ team }: { team: Team }) {
  const params = { id: team.id }
  const query = useApiQuery(listInvitations, { params })
  const form = useContractForm(inviteMember, {
    initial: { email: '', role: 'developer' as string },
    toInput: (body) => ({ params, body }) as never,
    invalidates: [listInvitations, listTeamLog],
    onDone: () => {
      form.form.reset()
      notify(t('build.team.invited'))
    },
  })
  return (
    <Section title={t('build.teams.invitations')} about={t('build.team.invitations-about')} maw={860}>
      <Stack gap="lg">
        <Form form={form} action={t('build.team.invite')}>
          <TextInput {...form.field('email')} type="email" label={t('common.e-mail-address')} />
          <NativeSelect
            {...form.field('role')}
            label={t('build.team.role')}
            description={roleNote(form.form.values.role as MemberRole)}
            data={roleOptions(givenBy(team.role))}
          />
        </Form>
        <QueryResult query={query}>
          {({ invitations }) => (
            <Rows label={t('build.teams.invitations')}>
              {invitations.map(({ id, email, role, expires_at }) => (
                <Row
                  key={id}
                  lead="mail"
                  action={
                    <ConfirmButton
                      label={t('common.withdraw')}
                      button={{ 'aria-label': t('build.team.withdraw-of', { email }) }}
                      endpoint={withdrawInvitation}
                      input={{ params: { id: team.id, invitation_id: id } }}
                      invalidates={[listInvitations, listTeamLog]}
                      title={t('build.team.withdraw-of', { email })}
                      action={t('common.withdraw')}
                    >
                      <Text size="sm">{t('build.team.withdraw-means')}</Text>
                    </ConfirmButton>
                  }
                >
                  <Text className="user-content">{email}</Text>
                  <Text size="sm" c="dimmed">
                    <RichText k="build.team.waits" role={roleLabel(role)} time={<RelativeTime at={expires_at} />} />
                  </Text>
                </Row>
              ))}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}

function Log({ id }: { id: string }) {
  const list = usePagedQuery(listTeamLog, { params: { id } })
  return (
    <Section maw={860}>
      <PagedListStates list={list} lines={5} empty={null}>
        <Rows label={t('build.team.log')}>
          {list.rows.map((entry) => (
            <Row key={entry.id} lead="scroll">
              <Text size="sm">
                <TeamSentence entry={entry} />
              </Text>
              <Text size="xs" c="dimmed">
                <RelativeTime at={entry.inserted_at} />
              </Text>
            </Row>
          ))}
        </Rows>
      </PagedListStates>
    </Section>
  )
}

function Settings({ team }: { team: Team }) {
  const router = useRouter()
  const params = { id: team.id }
  const is_admin = includesRole(team.role, 'admin')
  const form = useContractForm(updateTeam, {
    initial: { name: team.name, require_second_factor: team.require_second_factor },
    toInput: (body) => ({ params, body }),
    invalidates: stale,
    onDone: () => {
      notify(t('common.saved'))
    },
  })
  if (!is_admin) return <Section maw={760}>{t('build.team.settings-are-for-admins')}</Section>
  return (
    <Stack>
      <Section maw={760}>
        <Form form={form} action={t('common.save-changes')}>
          <TextInput {...form.field('name')} label={t('common.name')} />
          <Checkbox
            {...form.field('require_second_factor', 'checkbox')}
            label={t('build.team.require-second-factor')}
            description={t('build.team.require-second-factor-means')}
          />
        </Form>
      </Section>
      {team.role === 'owner' && (
        <Section maw={760} title={t('build.team.delete')} about={t('build.team.delete-means')}>
          <ConfirmButton
            label={t('build.team.delete')}
            button={{ color: 'red', variant: 'outline' }}
            endpoint={deleteTeam}
            input={{ params }}
            invalidates={[listTeams]}
            onDone={() => void router.navigate({ to: '/teams' })}
            title={t('build.team.delete')}
            action={t('common.delete')}
          >
            <Text size="sm">{t('build.team.delete-means')}</Text>
          </ConfirmButton>
        </Section>
      )}
    </Stack>
  )
}
