import type { AccountEvents, AccountsDeps } from '../accounts/service.ts'
import { isSignedIn } from '../accounts/sessions.service.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { invalidField } from '../platform/failure.ts'
import { betweenPeople } from './between-people.service.ts'
import { boardRoutes } from './boards.routes.ts'
import { chatRoutes } from './chat.routes.ts'
import { openChat, refuseMuted } from './chat.service.ts'
import { openEvents } from './events/dispatcher.ts'
import { eventRoutes } from './events/routes.ts'
import { social_events } from './events/service.ts'
import { socialJobs } from './jobs.ts'
import { friend_notices, moderation_notices } from './notices.service.ts'
import { enqueueLeave } from './presence.service.ts'
import { reportRoutes } from './reports.routes.ts'
import { socialRoutes } from './routes.ts'
import { openSocial, type SocialEvents } from './service.ts'
import type { SocialSettings } from './settings.ts'
import { textFilter, type TextFilter } from './text-filter.rules.ts'

/** The payload with which every change of chat, friends and presence notifies. */
const notified_payload = ''

/** A change of a friendship updates the event streams and the inbox. */
const friend_events: SocialEvents = {
  friendship_changed: async (tx, change) => {
    await social_events.friendship_changed(tx, change)
    await friend_notices.friendship_changed(tx, change)
  },
}

const accountEvents = (filter: TextFilter): Partial<AccountEvents> => ({
  access_revoked: (tx, { user_id }) => enqueueLeave(tx, user_id),
  renamed: (tx, { user_id, now }) => refuseMuted(tx, user_id, now),
  display_named: async (tx, { user_id, display_name, now }) => {
    if (filter(display_name) !== display_name) throw invalidField('display_name', 'name_refused')
    await refuseMuted(tx, user_id, now)
  },
})

/** Friends, chat, presence, reports, and the event streams of the console. */
export function socialDomain(
  { db, clock, log, mailer, reads, invalidations, public_url }: Platform,
  settings: SocialSettings & { events_heartbeat_seconds: number; security_contacts: readonly string[] },
  accounts: AccountsDeps,
  /** The names of the learning paths. */
  paths: readonly string[],
) {
  const filter = textFilter(settings.chat_words)
  const deps = openSocial({ db, clock, events: friend_events, invalidations, reads, filter })
  const chat = openChat({ db, clock, filter })
  const events = openEvents({
    db,
    clock,
    log,
    filter,
    heartbeat_seconds: settings.events_heartbeat_seconds,
    isSignedIn: (caller) => isSignedIn(accounts, caller),
    invalidationVersion: invalidations.version,
  })
  return {
    people: betweenPeople({ db, clock, filter }),
    moderation_events: moderation_notices,
    account_events: accountEvents(filter),
    mount(http: Http) {
      socialRoutes(http, deps)
      chatRoutes(http, chat)
      reportRoutes(http, { db, clock })
      eventRoutes(http, events)
      boardRoutes(http, { db, paths })
    },
    jobs: socialJobs(
      { db, clock, filter, presence: deps.presence, issuer: public_url, contact: settings.security_contacts[0] },
      mailer,
    ),
    notified(payload: string | undefined) {
      if (payload === undefined || payload === notified_payload) events.wake()
    },
    async drain() {
      await deps.presence.drain()
      await Promise.all([chat.posts.drain(), events.drain()])
    },
    streams: () => events.readers(),
  }
}
