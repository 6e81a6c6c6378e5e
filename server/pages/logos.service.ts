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
  /** The picture of an app, by its id or its client_id; undefined when it has none or none can be had now. */
  find(app: string): Promise<Logo | undefined>
}

export interface LogosParts {
  db: Database
  clock: Clock
  log: Logger
  fetch: SafeFetch
}

/** The bounds of what is fetched for one logo. */
export const logo_bounds = { timeout_ms: 5_000, bytes_max: 512 * 1024, redirects_max: 3 }

const kept_ms = 3_600_000
const failure_kept_ms = 300_000
const kept_bytes_max = 64 * 1024 * 1024
const fetches_at_once_max = 32

/**
 * Pictures of apps, fetched by us in place of the visitor's browser, so that an app does not learn who looks at it, and
 * when: everybody's looking makes one fetch an hour. What is in memory belongs to the address that the app has now; a
 * failure is remembered too, for a shorter time.
 */
export function openLogos({ db, clock, log, fetch }: LogosParts): Logos {
  const kept = new LRUCache<string, { logo: Logo | undefined }>({
    maxSize: kept_bytes_max,
    sizeCalculation: ({ logo }, key) => key.length + 256 + (logo?.content.length ?? 0),
    perf: { now: () => clock().getTime() },
    ttlResolution: 0,
  })
  const fetching = new Map<string, Promise<Logo | undefined>>()

  async function fetchAndKeep(key: string, app_id: string, url: string) {
    try {
      const logo = logoOf(await fetch(url))
      kept.set(key, { logo }, { ttl: kept_ms })
      return logo
    } catch (error) {
      log.info({ app_id, why: (error as Error).message }, 'the logo of an app could not be had')
      kept.set(key, { logo: undefined }, { ttl: failure_kept_ms })
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
      const known = kept.get(key)
      if (known) return known.logo
      const running = fetching.get(key)
      if (running) return running
      // Who comes in a rush sees initials this time: waiting in line here could only grow.
      if (fetching.size >= fetches_at_once_max) return undefined
      const fetched = fetchAndKeep(key, found.id, found.logo_url)
      fetching.set(key, fetched)
      return fetched
    },
  }
}

function logoOf(content: Buffer): Logo {
  const type = pictureType(content)
  if (type === undefined) throw new Error('it is no picture that pages show')
  return { type, content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
}
