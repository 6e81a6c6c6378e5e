import { knownDeviceName } from '../../../contract/device-name.ts'

/** A short name for a user agent, such as `Firefox on Windows`. */
export function deviceName(user_agent: string | null) {
  if (!user_agent) return 'Unknown program'
  return knownDeviceName(user_agent) ?? (user_agent.split(/[\s/]/, 1)[0] || 'Unknown program')
}
