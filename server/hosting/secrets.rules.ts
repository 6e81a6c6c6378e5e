const length_min = 12
const secret_name =
  /secret|token|pass|pwd|key|credential|auth|private|salt|signature|cookie|cert|dsn|(?:^|_)(?:pin|pw)(?:_|$)/i

/** Parses the entries of an environment in the engine's format `NAME=value`. */
export const environmentEntries = (env: readonly string[]) =>
  env.map((entry): [string, string] => {
    const at = entry.indexOf('=')
    return [entry.slice(0, at), entry.slice(at + 1)]
  })

/**
 * The texts of an environment that are masked in messages and output, longest first: values of at least twelve characters and values of
 * variables named like secrets, each line separately. Values such as `production` stay readable.
 */
export const secretValues = (entries: readonly (readonly [name: string, value: string])[]) =>
  entries
    .flatMap(([name, value]) => {
      const least = secret_name.test(name) ? 3 : length_min
      return [...new Set([value, ...value.split('\n')])].filter((text) => text.length >= least)
    })
    .sort((one, other) => other.length - one.length)
