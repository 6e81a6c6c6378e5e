const tail_bytes_max = 4_096

/**
 * The end of a program's output as its log entry may hold it: bounded, and without the values of its environment, which
 * a program may well print.
 */
export function tailOf(lines: readonly string[], env: Readonly<Record<string, string>>) {
  const secrets = Object.entries(env)
    .filter(([name, value]) => name !== 'PORT' && value.length >= 3)
    .flatMap(([, value]) => [value, ...value.split('\n').filter((line) => line.length >= 3)])
    .sort((a, b) => b.length - a.length)
  const masked = lines.map((line) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line))
  const kept: string[] = []
  let bytes = 0
  for (const line of masked.reverse()) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > tail_bytes_max) {
      if (kept.length === 0) kept.push(line.slice(-tail_bytes_max / 4))
      break
    }
    kept.push(line)
  }
  return kept.reverse().map((line) => line.replaceAll('\u0000', ''))
}
