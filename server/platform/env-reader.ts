import { readFileSync, statSync } from 'node:fs'
import { isTrustable } from './networks.ts'
import { suggestName } from './suggest-name.ts'

export type Env = Record<string, string | undefined>

/** All problems of the environment, one line each. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration has problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Kubernetes and Docker links set such variables for each neighbouring service. */
const isOfOrchestrator = (name: string) => /_(SERVICE_(HOST|PORT)|PORT|NAME|ENV)(_|$)/.test(name)

/** The setting with the path of a file that holds this secret. */
const fileSettingOf = (name: string) => `${name}_FILE`

/** The maximum size of a secret file, which should contain a few lines at most. */
const secret_bytes_max = 65_536

/** Reads a file with a secret, such as a container secret or a systemd credential. The problem quotes none of its content. */
function readSecretFile(path: string): { text: string } | { problem: string } {
  try {
    const found = statSync(path)
    if (!found.isFile()) return { problem: 'which is not a file' }
    if (found.size > secret_bytes_max) return { problem: `which is larger than ${secret_bytes_max} bytes` }
    const text = readFileSync(path, 'utf8').trim()
    return text === '' ? { problem: 'which is empty' } : { text }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: 'which does not exist' }
    return { problem: `which cannot be read by user id ${process.getuid?.()} (${code})` }
  }
}

/** Reads settings one by one and collects their problems; `finish` throws them. */
export class EnvReader {
  readonly problems: string[] = []
  private readonly env: Env
  /** Names of the settings that were read. */
  private readonly known = new Set<string>()
  private readonly secrets: ReadonlySet<string>
  private readonly found_secrets = new Map<string, { value: string | undefined }>()

  /** Each of `secrets` may be in a file instead: `<NAME>_FILE` is its path. */
  constructor(env: Env, { secrets = [] }: { secrets?: readonly string[] } = {}) {
    this.env = env
    this.secrets = new Set(secrets)
  }

  text(name: string): string | undefined
  text(name: string, fallback: string): string
  text(name: string, fallback?: string) {
    this.known.add(name)
    const value = this.secrets.has(name) ? this.secret(name) : this.value(name)
    return value ?? fallback
  }

  private value(name: string) {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  /** True if a setting is given, even an invalid one. */
  isGiven(name: string) {
    return this.value(name) !== undefined || this.value(fileSettingOf(name)) !== undefined
  }

  /** The secret, or else the trimmed content of the file that `<NAME>_FILE` names. Reads and checks it once. */
  private secret(name: string) {
    const found = this.found_secrets.get(name) ?? { value: this.findSecret(name) }
    this.found_secrets.set(name, found)
    return found.value
  }

  private findSecret(name: string) {
    const [value, setting] = [this.value(name), fileSettingOf(name)]
    this.known.add(setting)
    const path = this.value(setting)
    if (path === undefined) return value
    if (value !== undefined) {
      this.problem(`${name} and ${setting} are both set: remove one of them`)
      return undefined
    }
    const file = readSecretFile(path)
    if ('text' in file) return file.text
    this.problem(`${setting} is ${path}, ${file.problem}`)
    return undefined
  }

  integer<Fallback extends number | undefined>(
    name: string,
    fallback: Fallback,
    { min, max }: { min: number; max: number },
  ): number | Fallback {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.problems.push(`${name} must be a whole number from ${min} to ${max}`)
    return fallback
  }

  oneOf<const Word extends string>(name: string, words: readonly Word[], fallback: Word): Word {
    const text = this.text(name, fallback)
    const word = words.find((candidate) => candidate === text)
    if (word === undefined) this.problems.push(`${name} must be one of ${words.join(', ')}`)
    return word ?? fallback
  }

  url(name: string, protocols: string[]): string | undefined
  url(name: string, protocols: string[], fallback: string): string
  url(name: string, protocols: string[], fallback?: string) {
    const text = this.text(name)
    if (text === undefined) return fallback
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text
    this.problems.push(
      `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )
    return fallback
  }

  /** Items separated by commas or line breaks. */
  list(name: string): string[] {
    return this.text(name, '')
      .split(/[,\n]/)
      .map((item) => item.trim())
      .filter(Boolean)
  }

  /** Addresses and networks: `127.0.0.1, 10.0.0.0/8`. */
  networks(name: string): string[] {
    const items = this.list(name)
    for (const item of items) if (!isTrustable(item)) this.problem(`${name}: "${item}" is not an IP address or network`)
    return items
  }

  /** `30/60`: 30 requests in 60 seconds; `off` for no limit. */
  limit(name: string, fallback: { requests: number; seconds: number }) {
    const text = this.text(name)
    if (text === undefined) return fallback
    if (text === 'off') return 'off' as const
    const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(text) ?? []
    if (requests && seconds) return { requests: Number(requests), seconds: Number(seconds) }
    this.problems.push(`${name} must look like 30/60 (requests/seconds), or be off`)
    return fallback
  }

  problem(text: string) {
    this.problems.push(text)
  }

  /**
   * Checks variables that are set but were not read; call it after reading all settings. A name that resembles an unset
   * setting becomes a problem, because it is probably a typing error. A name that starts with one of `prefixes` is only
   * a warning, because other programs also use such names. Returns the warnings.
   */
  unknownSettings(prefixes: readonly string[]): string[] {
    const set = Object.keys(this.env).filter((name) => this.value(name) !== undefined)
    const warnings: string[] = []
    for (const name of set.filter((candidate) => !this.known.has(candidate))) {
      const suggestion = suggestName(name, [...this.known])
      const base = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : undefined
      if (base !== undefined && this.known.has(base))
        this.problem(`${name} is not a setting: ${base} is no secret, and is set directly`)
      else if (suggestion !== undefined && this.value(suggestion) === undefined)
        this.problem(`${name} is not a setting: did you mean ${suggestion}?`)
      else if (suggestion !== undefined)
        warnings.push(`${name} is not a setting, and is ignored: ${suggestion} is one, and set too`)
      else if (prefixes.some((prefix) => name.startsWith(prefix)) && !isOfOrchestrator(name))
        warnings.push(`${name} is not a setting, and is ignored`)
    }
    return warnings
  }

  /** Throws a `ConfigError` if there are problems. */
  finish() {
    if (this.problems.length > 0) throw new ConfigError(this.problems)
  }
}
