import { tmpdir } from 'node:os'
import { authenticateUser } from '../../server/accounts/sessions.service.ts'
import { buildApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { mount, type Http } from '../../server/http/mount.ts'
import { createHttpServer } from '../../server/http/server.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { onPrimary } from '../../server/platform/postgres/reads.ts'
import { openDatabase } from '../../server/platform/postgres/database.ts'
import { newId } from '../../server/platform/ids.ts'
import { openLog } from '../../server/platform/log.ts'
import { outboxMailer } from '../../server/platform/mail.ts'
import { openPasswords } from '../../server/platform/passwords.ts'
import { openRateCounter } from '../../server/platform/rate-limit.ts'
import { openReadiness } from '../../server/platform/readiness.ts'
import { openInvalidationBus } from '../../server/platform/batching/invalidation-bus.ts'
import { postMessages } from '../../server/social/chat.store.ts'
import { writePresence } from '../../server/social/presence.store.ts'
import { onlineSince } from '../../server/social/rules.ts'
import { textFilter } from '../../server/social/text-filter.rules.ts'
import { announcePresence, sendMessage } from '../../contract/social.ts'

// Posts of chat and presence without the batcher: the same HTTP layer (authentication, validation, responses), but each request in its own
// transaction on a pool of connections. Either the same statements with the same guarantees (monotonic times, events, one writer per
// channel) or, with PLAIN, one bare insert without guarantees.
const plain = process.env.PLAIN === '1'
const config = readConfig(process.env)
const log = openLog('silent')
const connection = { connectionString: config.database_url }
const db = openDatabase({ connection, log, pool_size: 32 })
const invalidations = await openInvalidationBus({ connection, log })
const clock = systemClock
const { accounts } = buildApp({
  config,
  secrets: [config.secret_keys[0] ?? ''],
  db,
  reads: onPrimary(db),
  clock,
  log,
  mailer: outboxMailer(tmpdir(), { name: '', address: 'bench@plaza.localhost' }),
  passwords: openPasswords(),
  version: '0',
  invalidations,
  readiness: openReadiness(log),
  course: { paths: [] } as never,
})
const endpoints: Http['endpoints'] = []
const fastify = createHttpServer({ log, public_url: config.public_url, trusted_proxies: [], endpoints })
const http: Http = {
  fastify,
  endpoints,
  limits: { counter: openRateCounter(db, clock), settings: config.limits, clock },
  authenticate: {
    user: (token) => authenticateUser(accounts, token),
    app: () => Promise.reject(new Error('no app calls here')),
    client: () => Promise.reject(new Error('no app calls here')),
    admin: () => Promise.reject(new Error('no admin calls here')),
    role: () => Promise.reject(new Error('no roles here')),
    proof: () => Promise.reject(new Error('nothing is proved here')),
    nonce: () => '',
    recordAppUse: () => {},
  },
}
const filter = textFilter(config.chat_words)
const unchanged = {
  sender_display_name: null,
  sender_picture_url: null,
  removed: false,
  removed_by: null,
  edited_at: null,
  reactions: [],
  my_reactions: [],
}
mount(http, sendMessage, async ({ caller, params, body: { body } }) => {
  const post = {
    id: newId(),
    channel_id: params.channel_id,
    sender_id: caller.user_id,
    body,
    filtered_body: filter(body),
    idempotency_key: undefined,
    request_hash: undefined,
  }
  const { id, channel_id, sender_id, body: typed, filtered_body } = post
  if (plain) {
    const sent_at = clock()
    await db.pool.query({
      name: 'message',
      text: `insert into bench_messages (id, channel_id, sent_at, sender_id, body, filtered_body)
             values ($1, $2, $3, $4, $5, $6)`,
      values: [id, channel_id, sent_at, sender_id, typed, filtered_body],
    })
    return { id, sender_id, filtered_body, sender_username: null, sent_at, ...unchanged }
  }
  const [row] = await db.transaction((tx) => postMessages(tx, clock(), [post]))
  const { sender_username = null, sent_at = clock() } = row ?? {}
  return { id, sender_id, filtered_body, sender_username, sent_at, ...unchanged }
})
mount(http, announcePresence, async ({ caller, body: { game = null, lobby = null } }) => {
  const now = clock()
  if (plain) {
    await db.pool.query({
      name: 'presence',
      text: `insert into bench_presence (user_id, last_seen, current_game, lobby) values ($1, $2, $3, $4)
             on conflict (user_id) do update
                set last_seen = excluded.last_seen, current_game = excluded.current_game, lobby = excluded.lobby`,
      values: [caller.user_id, now, game, lobby],
    })
    return { status: 'ok' as const }
  }
  const updates = [{ user_id: caller.user_id, game, lobby, leaves: false }]
  await db.transaction((tx) => writePresence(tx, { updates, now, online_since: onlineSince(now) }))
  return { status: 'ok' as const }
})
await fastify.listen({ host: '127.0.0.1', port: config.port })
process.send?.('ready')
