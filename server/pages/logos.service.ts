import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { SafeFetch } from '../platform/safe-fetch.ts'
import type { Logger } from '../platform/log.ts'
import { findLogo } from '../oauth/apps.service.ts'
import { pictureType } from './logos.rules.ts'

export interface Logo {
  type: string
  etag: string
  content: Buffer
}

export interface Logos {
  /** The logo of an app, by its id or its client_id; undefined if it has none, or it cannot be fetched now. */
  find(app: string): Promise<Logo | undefined>
}

export interface LogosDeps {
  db: Database
  clock: Clock
  log: Logger
  fetch: SafeFetch
}

/** Limits of one fetch. */
export const logo_bounds = { timeout_ms: 5_000, bytes_max: 512 * 1024, redirects_max: 3 }

const cache_ms = 3_600_000
const failure_cache_ms = 300_000
const cache_bytes_max = 64 * 1024 * 1024
const fetches_at_once_max = 32

/**
 * Logos of apps, fetched by the server instead of the user's browser, so that an app does not learn who views its logo.
 * Each is fetched once an hour and cached by the app's current logo_url; failures are cached for a shorter time.
 */
export function openLogos({ db, clock, log, fetch }: LogosDeps): Logos {
  const cache = new LRUCache<string, { logo: Logo | undefined }>({
    maxSize: cache_bytes_max,
    sizeCalculation: ({ logo }, key) => key.length + 256 + (logo?.content.length ?? 0),
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  })
  const fetching = new Map<string, Promise<Logo | undefined>>()

  async function fetchAndCache(key: string, app_id: string, url: string) {
    try {
      const logo = parseLogo(await fetch(url))
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

  return {
    async find(app) {
      const found = await findLogo({ db }, app)
      if (!found?.logo_url) return undefined
      const key = `${found.id} ${found.logo_url}`
      const cached = cache.get(key)
      if (cached) return cached.logo
      const running = fetching.get(key)
      if (running) return running
      // Beyond the limit pages show initials: a queue of fetches would have no bound.
      if (fetching.size >= fetches_at_once_max) return undefined
      const fetched = fetchAndCache(key, found.id, found.logo_url)
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
