import { knownDeviceName } from '../../contract/device-name.ts'
import { t } from '../texts.ts'

/** A short name for a user agent, such as `Firefox on Windows`. */
export function deviceName(user_agent: string | null) {
  if (!user_agent) return t('ui.device-name.unknown-program')
  return knownDeviceName(user_agent) ?? (user_agent.split(/[\s/]/, 1)[0] || t('ui.device-name.unknown-program'))
}
