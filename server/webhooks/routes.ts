import { success_messages } from '../../contract/success-messages.ts'
import * as contract from '../../contract/webhooks.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { replayedHeader } from '../http/replayed-header.ts'
import { readMoment } from '../platform/time-span.ts'
import { getDelivery, listDeliveries, redeliver, redeliverFailed, testWebhook } from './deliveries.service.ts'
import { readEvents } from './events.service.ts'
import { webhookErrors } from './rules.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhooksDeps,
} from './service.ts'

export function webhooksRoutes(http: Http, deps: WebhooksDeps) {
  const rules = (body: unknown) => webhookErrors(body, deps.policy.addresses)

  mount(http, contract.listWebhooks, async ({ params }) => ({
    webhooks: await listWebhooks(deps, params.id),
  }))

  mount(
    http,
    contract.createWebhook,
    async ({ caller, params, body, headers }) =>
      keyed(201, await createWebhook(deps, caller, params.id, body, headers['idempotency-key'])),
    { rules },
  )

  mount(
    http,
    contract.updateWebhook,
    async ({ caller, params, body }) => ({
      webhook: await updateWebhook(deps, caller, params.id, params.webhook_id, body),
    }),
    { rules },
  )

  mount(http, contract.deleteWebhook, async ({ caller, params }) => {
    await deleteWebhook(deps, caller, params.id, params.webhook_id)
    return { message: success_messages.webhook_deleted }
  })

  mount(http, contract.rotateWebhookSecret, async ({ caller, params, headers }) =>
    keyed(200, await rotateSecret(deps, caller, params.id, params.webhook_id, headers['idempotency-key'])),
  )

  deliveryRoutes(http, deps)
  mount(http, contract.listAppEvents, ({ caller, query }) => readEvents(deps, caller.app_id, query))
}

/** The response to a call that may have an Idempotency-Key. */
const keyed = <const Status extends 200 | 201, Answer extends object>(
  status: Status,
  { replayed, ...body }: Answer & { replayed: boolean },
) => answer(body, { status, headers: replayedHeader(replayed) })

/** The key of a webhook or a delivery in a path. */
const keyOf = <Key>({ id: app_id, ...key }: Key & { id: string }) => ({ app_id, ...key })

function deliveryRoutes(http: Http, deps: WebhooksDeps) {
  mount(http, contract.listDeliveries, ({ params, query }) => listDeliveries(deps, keyOf(params), query))

  mount(http, contract.getDelivery, async ({ params }) => ({
    delivery: await getDelivery(deps, keyOf(params)),
  }))

  mount(http, contract.redeliver, async ({ caller, params, headers }) =>
    keyed(200, await redeliver(deps, caller.user_id, keyOf(params), headers['idempotency-key'])),
  )

  mount(http, contract.redeliverFailed, async ({ caller, params, body, headers }) => {
    const since = readMoment('since', body.since)
    return keyed(200, await redeliverFailed(deps, caller.user_id, keyOf(params), since, headers['idempotency-key']))
  })

  mount(http, contract.testWebhook, async ({ caller, params, headers }) =>
    keyed(201, await testWebhook(deps, caller.user_id, keyOf(params), headers['idempotency-key'])),
  )
}
