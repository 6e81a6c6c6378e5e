import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { notices as events, type NoticeKind } from '../../contract/kinds/notices.ts'
import { requireAddress, type AddressPolicy } from '../platform/address-policy.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import { openReceiver } from '../platform/safe-post.ts'
import { sealedColumn } from '../platform/sealed-column.store.ts'
import { keyIdOf, openSealed, seal, sealingKeys, type SealingKeys } from '../platform/secrets.ts'
import { consoleText } from '../platform/texts.ts'
import {
  deleteDevice,
  findPush,
  listDevices,
  listPushKeys,
  lockPushKeys,
  purgeDevices,
  putDevice,
  replacePushKeys,
  type PushRow,
} from './devices.store.ts'
import { areUsable, encryptPush, vapidOf, type SubscriptionKeys } from './push.rules.ts'
import type { NoticesDeps } from './service.ts'

const { devices_max, push_seconds } = decisions.push

export interface DevicesDeps extends NoticesDeps {
  issuer: string
  keys: SealingKeys
  policy: AddressPolicy
}

/** The keys that seal the private key of push messages, derived from the service's secrets. */
export const pushKeySealing = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'push messages')

/** The private keys, for the rotation of SECRET_KEYS. */
export const sealedPushKeys = sealedColumn({ noun: 'push key', table: 'push_keys', column: 'sealed', rows_at_once: 10 })

/** The key that signs push messages. It is made on first use, and again if SECRET_KEYS has lost it. */
async function findOrMakeKey({ db, clock, keys }: DevicesDeps) {
  const isOwn = ({ sealed }: { sealed: Buffer }) => keys.some(({ id }) => id.equals(keyIdOf(sealed)))
  const known = (await listPushKeys(db)).find(isOwn)
  if (known) return known
  const id = newId()
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const made = { id, public_key: point.toString('base64url'), sealed: seal(keys, pem, id) }
  return db.transaction(async (tx) => {
    await lockPushKeys(tx)
    const other = (await listPushKeys(tx)).find(isOwn)
    if (other) return other
    await replacePushKeys(tx, { ...made, now: clock() })
    return made
  })
}

/** A person's devices for push messages (D-160), and the key that a browser subscribes with. */
export async function devicesOf(deps: DevicesDeps, caller: UserCaller) {
  const [{ public_key }, devices] = await Promise.all([
    findOrMakeKey(deps),
    listDevices(deps.db, { ...caller, now: deps.clock() }),
  ])
  return { public_key, devices }
}

interface SentDevice {
  endpoint: string
  keys: SubscriptionKeys
  kinds: readonly NoticeKind[]
  with_texts?: boolean | null
}

/**
 * Registers the browser of this session, or changes its kinds. Fails with `too_many_devices`, or with
 * `validation_failed` for a forbidden endpoint or unusable keys.
 */
export async function registerDevice(
  { db, clock, policy }: DevicesDeps,
  caller: UserCaller,
  { endpoint, keys, kinds, with_texts = null }: SentDevice,
) {
  if (!areUsable(keys)) throw invalidField('keys', 'push_keys')
  await requireAddress(policy, endpoint, 'endpoint')
  const { user_id, session_id } = caller
  const now = clock()
  const device = { id: newId(), user_id, session_id, endpoint, ...keys, kinds, with_texts, now, devices_max }
  const device_id = await db.transaction((tx) => putDevice(tx, device))
  if (device_id === undefined) throw new Failure('too_many_devices', { user_id })
  const registered = (await listDevices(db, { user_id, session_id, now })).find(({ id }) => id === device_id)
  if (!registered) throw new Failure('unauthorized', { why: 'the session ended meanwhile' })
  return registered
}

/** Deletes a device. Fails with `not_found` if the person does not have it. */
export async function forgetDevice({ db }: Pick<DevicesDeps, 'db'>, user_id: string, id: string) {
  if (!(await deleteDevice(db, { id, user_id }))) throw new Failure('not_found', { id })
}

/** Deletes the devices of ended sessions, `rows_max` at a time. */
export const purgeEndedDevices = (
  { db, clock }: Pick<DevicesDeps, 'db' | 'clock'>,
  { rows_max }: { rows_max: number },
) => inBatches(rows_max, () => purgeDevices(db, { now: clock(), rows_max }))

/** The console's text for the event, without any chat text. */
function titleOf({ event, language, count, amount, subject_name }: PushRow) {
  const by = event === 'points_awarded' && subject_name !== null ? '-by' : ''
  const key = `inbox.notice-texts.${event.replaceAll('_', '-')}${by}`
  return consoleText(language, key, { name: subject_name ?? 'Plaza', count, amount: amount ?? 0 })
}

const gone_statuses = [404, 410]
const timeout_ms = 5_000
/** Maximum characters of a message shown: a push message must be below 4 kB. */
const text_max = 300
const silence_seconds = 60
const never = new AbortController().signal

/**
 * By person: when to send again after a push service did not respond. Other messages would wait for it, and an
 * attacker's service never responds.
 */
const silent_until = new LRUCache<string, Date>({ max: 10_000 })

/**
 * Sends a notice to a device, which is deleted if its push service no longer knows it (404, 410). Rejects, to be
 * retried, if the push service refuses it for now; without a response, nothing is sent to the person for a minute.
 */
export async function pushNotice(deps: DevicesDeps, push: { device_id: string; notice_id: string }) {
  const { db, clock, keys, policy, issuer } = deps
  const now = clock()
  const found = await findPush(db, { ...push, now })
  if (!found || (silent_until.get(found.user_id) ?? now) > now) return
  const { endpoint, event, kind, about, user_id } = found
  const { id, public_key, sealed } = await findOrMakeKey(deps)
  const message = found.text === null ? {} : { body: [...found.text].slice(0, text_max).join('') }
  const link = events[event].path(found)
  const text = JSON.stringify({ kind, title: titleOf(found), ...message, link, tag: about })
  const own = createECDH('prime256v1')
  own.generateKeys()
  const body = encryptPush(text, found, { salt: randomBytes(16), private_key: own.getPrivateKey() })
  const private_key = openSealed(keys, sealed, id)
  const headers = {
    authorization: vapidOf(endpoint, { private_key, public_key, subject: issuer, now }),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(push_seconds),
  }
  const rule = policy.ruleOf(new URL(endpoint))
  const receiver = openReceiver(endpoint, { rule, timeout_ms, bytes_max: 1_024, connections_max: 1 })
  try {
    const answer = await receiver.post(body, headers, never).catch(() => undefined)
    const status = answer?.status ?? 0
    if (!answer) silent_until.set(user_id, secondsAfter(now, silence_seconds))
    else if (gone_statuses.includes(status)) await deleteDevice(db, { id: push.device_id, user_id })
    else if (status === 429 || status >= 500) throw new Error(`the push service answered ${status}`)
  } finally {
    receiver.close()
  }
}
