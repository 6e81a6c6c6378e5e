/** The first match wins: many user agents also name other browsers. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  // Other browsers name Safari too, without a version. The anchor prevents a search from every word of a long text.
  [/^(?=.*\bVersion\/).*\bSafari\//, 'Safari'],
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

/** A short name for a known user agent, such as `Firefox on Windows`. It never contains text from the client. */
export function knownDeviceName(user_agent: string): string | undefined {
  const [browser, system] = [firstMatch(browsers, user_agent), firstMatch(systems, user_agent)]
  return browser && system ? `${browser} on ${system}` : (browser ?? system)
}
