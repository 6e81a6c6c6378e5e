import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { getDomain } from 'tldts'
import type { UserCaller } from '../../contract/caller.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import type { Logger } from '../platform/log.ts'
import { findPictureOf } from '../accounts/pictures.service.ts'
import { findLogo, type AppLogo } from '../oauth/apps.service.ts'
import { isMemberOfApp } from '../oauth/members.service.ts'
import type { RateCounter } from '../platform/rate-limit.ts'
import { pictureType } from './logos.rules.ts'

export interface Logo {
  type: string
  etag: string
  content: Buffer
}

export interface Logos {
  /**
   * The logo of an app, by its id or its client_id; undefined if it has none, it cannot be fetched now, or the app is not approved and
   * the viewer has no role in it and is no admin.
   */
  find(app: string, viewer?: Viewer): Promise<Logo | undefined>
}

type Viewer = Pick<UserCaller, 'user_id' | 'is_admin'>

export interface LogosDeps {
  db: Database
  counter: RateCounter
  clock: Clock
  log: Logger
  fetch: SafeFetch
}

export const logo_bounds = { timeout_ms: 5_000, bytes_max: 512 * 1024, redirects_max: 3 }

const cache_ms = 3_600_000
const failure_cache_ms = 300_000
const cache_bytes_max = 64 * 1024 * 1024
const fetches_at_once_max = 32
/**
 * Each change of a logo_url causes another fetch: limits for the apps of one person, and for one host, including
 * redirects.
 */
const fetches_per_owner = { requests: 30, seconds: 600 }
const fetches_per_host = { requests: 300, seconds: 600 }

/**
 * Logos of apps: uploaded ones, and those of other hosts. The server fetches the latter instead of the user's browser,
 * so that an app does not learn who views its logo. It fetches each once an hour and caches it by the app's current
 * logo_url; it caches failures for a shorter time.
 */
export function openLogos({ db, clock, log, counter, fetch }: LogosDeps): Logos {
  const cache = new LRUCache<string, { logo: Logo | undefined }>({
    maxSize: cache_bytes_max,
    sizeCalculation: ({ logo }, key) => key.length + 256 + (logo?.content.length ?? 0),
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  })
  const fetching = new Map<string, Promise<Logo | undefined>>()

  async function count(key: string, { requests, seconds }: typeof fetches_per_owner) {
    if ((await counter.hit(`logos ${key}`, seconds)).count > requests) throw new Error('it was fetched too often')
  }
  /** Subdomains of one domain count together, because anybody can create any number of them. */
  const countHost = ({ hostname }: URL) =>
    count(`host:${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`, fetches_per_host)

  async function fetchAndCache(key: string, { id: app_id, owner_id }: AppLogo, url: string) {
    try {
      await count(`owner:${owner_id}`, fetches_per_owner)
      const logo = parseLogo(await fetch(url, countHost))
      cache.set(key, { logo }, { ttl: cache_ms })
      return logo
    } catch (error) {
      log.info({ app_id, why: (error as Error).message }, 'the logo of an app could not be fetched')
      cache.set(key, { logo: undefined }, { ttl: failure_cache_ms })
      return undefined
    } finally {
      fetching.delete(key)
    }
  }

  const mayView = async ({ id, is_approved }: AppLogo, viewer?: Viewer) =>
    is_approved || viewer?.is_admin || (viewer !== undefined && (await isMemberOfApp(db, id, viewer.user_id)))

  return {
    async find(app, viewer) {
      const found = await findLogo({ db }, app)
      if (!found?.logo_url || !(await mayView(found, viewer))) return undefined
      const uploaded = found.logo_url.includes(`/logos/${found.id}?`) && (await findPictureOf(db, found.id))
      if (uploaded) return parseLogo(uploaded)
      const key = `${found.id} ${found.logo_url}`
      const cached = cache.get(key)
      if (cached) return cached.logo
      const running = fetching.get(key)
      if (running) return running
      // Beyond the limit, pages show initials: a queue of fetches would be unbounded.
      if (fetching.size >= fetches_at_once_max) return undefined
      const fetched = fetchAndCache(key, found, found.logo_url)
      fetching.set(key, fetched)
      return fetched
    },
  }
}

function parseLogo(content: Buffer): Logo {
  const type = pictureType(content)
  if (type === undefined) throw new Error('not a supported image')
  return { type, content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
}
