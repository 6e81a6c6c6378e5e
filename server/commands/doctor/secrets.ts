import type { Env } from '../../platform/env-reader.ts'

const secret_names = /(KEY|KEYS|PASSWORD|SECRET|TOKEN|CREDENTIAL|AUTH)/

/** Every secret of the environment: values of secret settings, and the passwords in URLs. */
function secretsOf(env: Env): string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    const passwords = [...value.matchAll(/\w+:\/\/[^\s:@/]*:([^\s@]+)@/g)].map(([, password]) => password!)
    const whole = secret_names.test(name) && !name.endsWith('_FILE') ? [value, ...value.split(/[\s,]+/)] : []
    return [...passwords, ...passwords.map((text) => safelyDecoded(text)), ...whole]
  })
  return [...new Set(values)].filter((value) => value.length >= 4).sort((one, other) => other.length - one.length)
}

function safelyDecoded(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Redacts the secrets of the environment in external texts, such as errors of drivers. */
export function secretsHider(env: Env) {
  const secrets = secretsOf(env)
  return (text: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text)
}
