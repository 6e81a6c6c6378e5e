import { webhook_delivery, webhook_headers, webhook_payloads } from '../../contract/app-events.ts'
import { operations, sandbox_operations } from '../../contract/operations.ts'
import { parameters } from '../../contract/parameters.ts'
import { extended, resources } from '../../contract/resources.ts'
import { tags } from '../../contract/tags.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { docsRoutes } from './routes.ts'

const webhooks = {
  events: webhook_payloads,
  headers: webhook_headers,
  description: webhook_delivery,
  tag: 'Webhooks',
  decision: 'D-101',
} as const

/** The OpenAPI document, and the site made from it. */
export function docsDomain({ public_url, is_sandbox }: Platform, version: string) {
  let prepare = async () => {}
  return {
    mount(http: Http) {
      prepare = docsRoutes(http, {
        public_url,
        version,
        tags,
        is_sandbox,
        operations: { ...operations, ...(is_sandbox && sandbox_operations) },
        names: { resources, extended, parameters },
        webhooks,
      })
    },
    /** Renders every page before its first request. */
    prepare: () => prepare(),
  }
}
