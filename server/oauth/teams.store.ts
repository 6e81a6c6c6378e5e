import type { Static } from 'typebox'
import type { invitation, member, team } from '../../contract/team-fields.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import type { TeamAction } from '../../contract/kinds/team-actions.ts'
import {
  allValues,
  firstRow,
  firstValue,
  hasRows,
  json,
  type Sql,
  theValue,
  type Tx,
} from '../platform/postgres/database.ts'

export type TeamRow = Static<typeof team>

/** The teams of a person, by name, or one of them. */
export const listTeamsOf = (db: Sql, user_id: string, team_id: string | null = null) =>
  db.sql<TeamRow>`
    select t.*, m.role, (select count(*) from team_members where team_id = t.id) as members,
           (select count(*) from oauth_apps where team_id = t.id) as apps
      from team_members m join teams t on t.id = m.team_id
     where m.user_id = ${user_id} and (${team_id}::uuid is null or t.id = ${team_id})
     order by lower(t.name), t.id`

/** Locks a person and counts the person's teams; the lock serializes parallel calls. */
export async function lockTeamsOf(tx: Tx, user_id: string) {
  await tx.sql`select id from users where id = ${user_id} for no key update`
  return theValue(tx.sql<{ teams: number }>`
    select count(*) as teams from team_members where user_id = ${user_id}`)
}

export const insertTeam = (tx: Tx, { id, name, now }: { id: string; name: string; now: Date }) =>
  tx.sql`insert into teams (id, name, inserted_at) values (${id}, ${name}, ${now})`

/** Locks teams in id order, which serializes changes of their members, invitations and apps. */
export const lockTeams = (tx: Tx, team_ids: readonly string[]) =>
  tx.sql`select id from teams where id = any(${team_ids}::uuid[]) order by id for no key update`

export const setTeam = (
  tx: Tx,
  id: string,
  { name, require_second_factor }: { name?: string; require_second_factor?: boolean },
) =>
  tx.sql`
    update teams
       set name = coalesce(${name ?? null}::text, name),
           require_second_factor = coalesce(${require_second_factor ?? null}::boolean, require_second_factor)
     where id = ${id}`

/** Deletes a team with its members, invitations and log; false if it owns apps. */
export const deleteTeam = (tx: Tx, id: string) =>
  hasRows(tx.sql`
    delete from teams where id = ${id} and not exists (select from oauth_apps where team_id = ${id}) returning id`)

// Members

export type MemberRow = Static<typeof member>

/** The members of a team in the order in which they joined, or one of them. */
export const listMembers = (db: Sql, team_id: string, user_id: string | null = null) =>
  db.sql<MemberRow>`
    select m.*, u.username, u.display_name, u.picture_url, u.suspended_at is not null as suspended
      from active_members m join users u on u.id = m.user_id
     where m.team_id = ${team_id} and (${user_id}::uuid is null or m.user_id = ${user_id})
     order by m.joined_at, m.user_id`

export interface NewMember {
  team_id: string
  user_id: string
  role: MemberRole
  now: Date
}

/** Adds a member; false if the person already is one. */
export const insertMember = (tx: Tx, { team_id, user_id, role, now }: NewMember) =>
  hasRows(tx.sql`
    insert into team_members (team_id, user_id, role, joined_at) values (${team_id}, ${user_id}, ${role}, ${now})
    on conflict do nothing
    returning user_id`)

/** Gives a member another role, or removes the member (null); false for the last owner who is not suspended. */
export async function changeMember(
  tx: Tx,
  { team_id, user_id, role }: { team_id: string; user_id: string; role: MemberRole | null },
) {
  const [last] = await tx.sql`
    select from team_members m
     where m.team_id = ${team_id} and m.user_id = ${user_id} and m.role = 'owner' and ${role}::text is distinct from 'owner'
       and not exists (select from team_members o join users u on u.id = o.user_id
                        where o.team_id = m.team_id and o.role = 'owner' and o.user_id <> m.user_id and u.suspended_at is null)`
  if (last) return false
  if (role === null) await tx.sql`delete from team_members where team_id = ${team_id} and user_id = ${user_id}`
  else await tx.sql`update team_members set role = ${role} where team_id = ${team_id} and user_id = ${user_id}`
  return true
}

/**
 * For apps of these teams whose owner is not an active owner of the team: makes the longest-serving active owner the
 * owner; returns the apps. Without such an owner, nothing changes (D-88).
 */
export const assignOwners = (tx: Tx, team_ids: readonly string[]) =>
  tx.sql<{ id: string }>`
    with owners as (
      select m.team_id, m.user_id, m.joined_at
        from team_members m join users u on u.id = m.user_id
       where m.team_id = any(${team_ids}::uuid[]) and m.role = 'owner' and u.suspended_at is null
    )
    update oauth_apps a set owner_id = n.user_id
      from (select distinct on (team_id) team_id, user_id from owners order by team_id, joined_at, user_id) n
     where a.team_id = n.team_id
       and not exists (select from owners o where o.team_id = a.team_id and o.user_id = a.owner_id)
    returning a.id`

export const listTeamIdsOf = (db: Sql, user_id: string) =>
  allValues(db.sql<{ team_id: string }>`
    select team_id from team_members where user_id = ${user_id} order by team_id`)

// Invitations

export const listInvitationsOf = (
  db: Sql,
  { team_id, id = null, now }: { team_id: string; id?: string | null; now: Date },
) =>
  db.sql<Static<typeof invitation>>`
    select i.*, u.username as invited_by_username
      from team_invitations i left join users u on u.id = i.invited_by
     where i.team_id = ${team_id} and i.expires_at > ${now} and (${id}::uuid is null or i.id = ${id})
     order by i.id desc`

export interface NewInvitation {
  id: string
  team_id: string
  email: string
  role: MemberRole
  invited_by: string
  now: Date
  expires_at: Date
  members_max: number
}

/**
 * Inserts an invitation in place of an earlier one to this address; false if the team is full, counting members and
 * open invitations.
 */
export async function insertInvitation(tx: Tx, made: NewInvitation) {
  await tx.sql`
    delete from team_invitations
     where team_id = ${made.team_id} and (lower(email) = lower(${made.email}) or expires_at <= ${made.now})`
  return hasRows(tx.sql`
    insert into team_invitations (id, team_id, email, role, invited_by, inserted_at, expires_at)
    select ${made.id}, ${made.team_id}, ${made.email}, ${made.role}, ${made.invited_by}, ${made.now}, ${made.expires_at}
     where (select count(*) from team_members where team_id = ${made.team_id})
         + (select count(*) from team_invitations where team_id = ${made.team_id}) < ${made.members_max}
    returning id`)
}

/** The member with this verified address. */
export const findMemberByEmail = (db: Sql, team_id: string, email: string) =>
  firstValue(db.sql<{ id: string }>`
    select u.id from users u join team_members m on m.user_id = u.id
     where m.team_id = ${team_id} and lower(u.email) = lower(${email}) and u.email_verified`)

/** The person who has verified this address. */
export const findVerified = (db: Sql, email: string) =>
  firstValue(db.sql<{ id: string }>`
    select id from users where lower(email) = lower(${email}) and email_verified`)

export const deleteInvitation = (tx: Tx, team_id: string, id: string) =>
  hasRows(tx.sql`delete from team_invitations where team_id = ${team_id} and id = ${id} returning id`)

/** A valid invitation, for any person. */
export const findInvitation = (db: Sql, id: string, now: Date) =>
  firstRow(db.sql<OpenInvitation>`select * from open_invitations where id = ${id} and expires_at > ${now}`)

export interface OpenInvitation {
  id: string
  team_id: string
  team_name: string
  email: string
  role: MemberRole
  invited_by_username: string
  expires_at: Date
  /** The person with this verified address; null if there is none. */
  user_id: string | null
  language: string | null
}

/** Consumes an invitation of a person; undefined if it is invalid or already consumed. */
export const takeInvitation = (tx: Tx, { id, user_id, now }: { id: string; user_id: string; now: Date }) =>
  firstRow(tx.sql<{ role: MemberRole }>`
    delete from team_invitations i using open_invitations o
     where i.id = ${id} and o.id = i.id and o.user_id = ${user_id} and o.expires_at > ${now}
    returning i.role`)

export const listInvitationsFor = (db: Sql, user_id: string, now: Date) =>
  db.sql<OpenInvitation & { code: string }>`
    select id as code, * from open_invitations where user_id = ${user_id} and expires_at > ${now} order by id desc limit 100`

// The log

export interface TeamEntry {
  id: string
  team_id: string
  actor_id: string
  action: TeamAction
  subject_id: string | null
  role: MemberRole | null
  now: Date
}

export const insertTeamEntry = (tx: Tx, entry: TeamEntry) =>
  tx.sql`
    insert into team_log (id, team_id, actor_id, action, subject_id, details, inserted_at)
    values (${entry.id}, ${entry.team_id}, ${entry.actor_id}, ${entry.action}, ${entry.subject_id}, ${json({ role: entry.role })},
            ${entry.now})`

export const listTeamEntries = (
  db: Sql,
  { team_id, before_id, rows_max }: { team_id: string; before_id: string | null; rows_max: number },
) =>
  db.sql<TeamEntry & { actor_username: string | null; subject_name: string | null; inserted_at: Date }>`
    select l.id, l.action, l.actor_id, u.username as actor_username, l.subject_id,
           coalesce(person.username, app.app_name) as subject_name, l.details ->> 'role' as role, l.inserted_at
      from team_log l
      left join users u on u.id = l.actor_id
      left join users person on person.id = l.subject_id
      left join oauth_apps app on app.id = l.subject_id
     where l.team_id = ${team_id} and (${before_id}::uuid is null or l.id < ${before_id})
     order by l.id desc
     limit ${rows_max}`
