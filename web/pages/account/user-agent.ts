/** The first match wins: many user agents also contain the names of other browsers. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
] as const
const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const firstMatch = (patterns: readonly (readonly [RegExp, string])[], text: string) =>
  patterns.find(([pattern]) => pattern.test(text))?.[1]

/** A short name for a user agent, such as `Firefox on Windows`. */
export function deviceName(user_agent: string | null) {
  if (!user_agent) return 'Unknown program'
  const [browser, system] = [firstMatch(browsers, user_agent), firstMatch(systems, user_agent)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? (user_agent.split(/[\s/]/, 1)[0] || 'Unknown program')
}
