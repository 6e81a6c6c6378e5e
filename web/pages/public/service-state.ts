import { PlazaClient } from '../../../contract/client.ts'
import { health } from '../../../contract/system.ts'
import { t } from '../../texts.ts'

interface ServiceState {
  is_up: boolean
  database: boolean
  version?: string
  took_ms: number
}

/** Calls the health endpoint. Never rejects: an unreachable service is `is_up: false`. */
async function checkService(): Promise<ServiceState> {
  const started_at = performance.now()
  const reply = await new PlazaClient(location.origin).call(health).catch(() => undefined)
  const took_ms = Math.round(performance.now() - started_at)
  if (!reply) return { is_up: false, database: false, took_ms }
  const { version } = reply.body as { version?: string }
  return { is_up: true, database: reply.ok, took_ms, ...(version !== undefined && { version }) }
}

/** The state of the service, queried every ten seconds. */
export const service_state_query = { queryKey: ['status'], queryFn: checkService, refetchInterval: 10_000 }

/** The state as a sentence, also before the first response. */
export function summaryOf(state: ServiceState | undefined) {
  if (!state) return t('public.service-state.checking')
  if (state.is_up)
    return state.database
      ? t('public.service-state.everything-works')
      : t('public.service-state.plaza-has-a-problem-you-need')
  return navigator.onLine
    ? t('public.service-state.plaza-does-not-answer-the-service')
    : t('public.service-state.this-device-is-offline')
}
