const length_min = 12
const secret_name =
  /secret|token|pass|pwd|key|credential|auth|private|salt|signature|cookie|cert|dsn|(?:^|_)(?:pin|pw)(?:_|$)/i

/** The entries of an environment that an engine has as `NAME=value`. */
export const environmentEntries = (env: readonly string[]) =>
  env.map((entry): [string, string] => {
    const at = entry.indexOf('=')
    return [entry.slice(0, at), entry.slice(at + 1)]
  })

/**
 * The texts of an environment that are masked where they appear in messages and output, the longest first: values of twelve
 * characters or more, and those whose name is that of a secret; of several lines each. Values such as `production` stay readable.
 */
export const secretValues = (entries: readonly (readonly [name: string, value: string])[]) =>
  entries
    .flatMap(([name, value]) => {
      const least = secret_name.test(name) ? 3 : length_min
      return [...new Set([value, ...value.split('\n')])].filter((text) => text.length >= least)
    })
    .sort((one, other) => other.length - one.length)
