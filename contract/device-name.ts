/** The first match wins: many user agents also contain the names of other browsers. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  // Others name Safari too, without a version. The anchor keeps a long text from being searched again from each of its words.
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

/** A short name for a user agent that is known, such as `Firefox on Windows`: never a text that the client chose. */
export function knownDeviceName(user_agent: string): string | undefined {
  const [browser, system] = [firstMatch(browsers, user_agent), firstMatch(systems, user_agent)]
  return browser && system ? `${browser} on ${system}` : (browser ?? system)
}
