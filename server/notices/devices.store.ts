import type { ResponseOf } from '../../contract/endpoint.ts'
import type { registerDevice } from '../../contract/notice-devices.ts'
import type { NoticeEvent, NoticeKind } from '../../contract/kinds/notices.ts'
import { countRows, firstRow, firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export type DeviceRow = ResponseOf<typeof registerDevice>

interface Of {
  user_id: string
  session_id: string
}

/** The devices of a person's active sessions, oldest first. */
export const listDevices = (db: Sql, { user_id, session_id, now }: Of & { now: Date }) =>
  db.sql<DeviceRow>`
    select d.id, d.kinds, d.with_texts, s.user_agent, d.session_id = ${session_id} as is_this_session, d.inserted_at
      from notice_devices d join login_sessions s on s.id = d.session_id and s.ended_at is null and s.expires_at > ${now}
     where d.user_id = ${user_id} order by d.inserted_at, d.id`

export interface NewDevice extends Of {
  id: string
  endpoint: string
  p256dh: string
  auth: string
  kinds: readonly NoticeKind[]
  /** Null leaves the person's choice unchanged. */
  with_texts: boolean | null
  now: Date
  devices_max: number
}

/**
 * Adds a device, or changes the one with this endpoint, which belongs to one browser; returns its id. Undefined if the
 * person has `devices_max` others. Parallel calls are serialized.
 */
export async function putDevice(tx: Tx, device: NewDevice) {
  const { id, user_id, session_id, endpoint, p256dh, auth, kinds, with_texts, now, devices_max } = device
  await tx.sql`select id from users where id = ${user_id} for no key update`
  return firstValue(tx.sql<{ id: string }>`
    insert into notice_devices as d (id, user_id, session_id, endpoint, p256dh, auth, kinds, with_texts, inserted_at)
    select ${id}, ${user_id}, ${session_id}, ${endpoint}, ${p256dh}, ${auth}, ${kinds}::text[], coalesce(${with_texts}::boolean, false), ${now}
     where (select count(*) from notice_devices d join login_sessions s on s.id = d.session_id and s.ended_at is null and s.expires_at > ${now}
             where d.user_id = ${user_id} and d.endpoint <> ${endpoint}) < ${devices_max}
    on conflict (endpoint) do update
       set user_id = excluded.user_id, session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth,
           kinds = excluded.kinds,
           with_texts = coalesce(${with_texts}::boolean, d.user_id = excluded.user_id and d.with_texts)
    returning id`)
}

export const deleteDevice = (db: Sql, { id, user_id }: { id: string; user_id: string }) =>
  hasRows(db.sql`delete from notice_devices where id = ${id} and user_id = ${user_id} returning id`)

/** Deletes up to `rows_max` devices of ended sessions; returns the number. */
export const purgeDevices = (db: Sql, { now, rows_max }: { now: Date; rows_max: number }) =>
  countRows(db.sql`
    delete from notice_devices
     where id in (
       select d.id from notice_devices d join login_sessions s on s.id = d.session_id
        where s.ended_at is not null or s.expires_at <= ${now} limit ${rows_max} for update of d skip locked)
    returning id`)

// Push messages

/**
 * The devices that get these notices. A notice that only counts further messages is not pushed again until it is read.
 */
export const listPushes = (tx: Tx, rows: readonly { user_id: string; id: string; count: number }[], now: Date) =>
  tx.sql<{ device_id: string; notice_id: string }>`
    select d.id as device_id, n.id as notice_id
      from unnest(${rows.map(({ user_id }) => user_id)}::uuid[], ${rows.map(({ id }) => id)}::uuid[],
                  ${rows.map(({ count }) => count)}::integer[]) w(user_id, id, count)
      join notice_devices d on d.user_id = w.user_id
      join login_sessions s on s.id = d.session_id and s.ended_at is null and s.expires_at > ${now}
      join notices n on n.user_id = w.user_id and n.id = w.id and n.in_console
     where n.kind = any(d.kinds) and (n.kind <> 'messages' or n.count = w.count)`

export interface PushRow {
  endpoint: string
  p256dh: string
  auth: string
  user_id: string
  language: string | null
  about: string
  kind: NoticeKind
  event: NoticeEvent
  count: number
  amount: number | null
  subject_id: string | null
  subject_name: string | null
  app_id: string | null
  /** The newest direct message, if the device shows texts. */
  text: string | null
}

/** A notice for a device; undefined if it was read, the session has ended or the person is suspended. */
export const findPush = (db: Sql, { device_id, notice_id, now }: { device_id: string; notice_id: string; now: Date }) =>
  firstRow(db.sql<PushRow>`
    select d.endpoint, d.p256dh, d.auth, d.user_id, u.language, n.about, n.kind, n.event, n.count, n.amount, n.subject_id, n.app_id,
           coalesce(person.username, channel.shown_ref_id, channel.ref_id, deployment.subdomain, app.app_name) as subject_name,
           case when d.with_texts and n.event = 'direct_messages_came' then (
             select m.filtered_body from shown_messages m
              where m.channel_id = split_part(n.about, ':', 2)::uuid and m.sender_id = n.subject_id and not m.removed
              order by m.sent_at desc limit 1) end as text
      from notice_devices d
      join login_sessions s on s.id = d.session_id and s.ended_at is null and s.expires_at > ${now}
      join users u on u.id = d.user_id and u.suspended_at is null
      join notices n on n.user_id = d.user_id and n.id = ${notice_id} and n.read_at is null and n.kind = any(d.kinds)
      left join users person on person.id = n.subject_id
      left join channels channel on channel.id = n.subject_id
      left join deployments deployment on deployment.id = n.subject_id
      left join oauth_apps app on app.id = n.app_id
     where d.id = ${device_id}`)

// The key

export interface PushKeyRow {
  id: string
  public_key: string
  /** The private key in PKCS #8, sealed in the context of the id. */
  sealed: Buffer
}

export const listPushKeys = (db: Sql) => db.sql<PushKeyRow>`select id, public_key, sealed from push_keys order by id`

/** Lets only one process make a key, until the transaction ends. */
export const lockPushKeys = (tx: Tx) => tx.sql`lock table push_keys in share row exclusive mode`

/**
 * Replaces a lost key, or adds the first. A subscription belongs to the key it was made with, so subscriptions of a
 * lost key are deleted.
 */
export async function replacePushKeys(tx: Tx, { id, public_key, sealed, now }: PushKeyRow & { now: Date }) {
  await tx.sql`delete from notice_devices where exists (select from push_keys)`
  await tx.sql`delete from push_keys`
  await tx.sql`
    insert into push_keys (id, public_key, sealed, inserted_at) values (${id}, ${public_key}, ${sealed}, ${now})`
}
