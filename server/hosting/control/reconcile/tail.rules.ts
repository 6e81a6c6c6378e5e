import { secretValues } from '../../secrets.rules.ts'

const tail_bytes_max = 4_096

/**
 * The end of a program's output for the deploy log, at most 4 KiB. Environment values that may be secrets are masked,
 * because a program may print them; short values such as `production` stay readable.
 */
export function tailOf(lines: readonly string[], env: Readonly<Record<string, string>>) {
  const secrets = secretValues(Object.entries(env))
  const masked = lines.map((line) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line))
  const tail: string[] = []
  let bytes = 0
  for (const line of masked.reverse()) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > tail_bytes_max) {
      if (tail.length === 0) tail.push(line.slice(-tail_bytes_max / 4))
      break
    }
    tail.push(line)
  }
  return tail.reverse().map((line) => line.replaceAll('\u0000', ''))
}
