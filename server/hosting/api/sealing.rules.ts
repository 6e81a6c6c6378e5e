import { decisions } from '../../../contract/decisions.ts'
import { openSealed, seal, type SealingKeys } from '../../platform/secrets.ts'

const { value_bytes_max, total_bytes_max } = decisions['D-60'].value

/** Environment variables: own fields only, any name of them plain data. */
export type Environment = Record<string, string>

export interface EnvironmentError {
  path: string
  fault: string
}

/** What is wrong with an environment whose names and types were checked already: sizes, in bytes of UTF-8. */
export function environmentError(env: Environment): EnvironmentError | undefined {
  let total = 0
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(value)
    if (bytes > value_bytes_max)
      return { path: `env_vars.${name}`, fault: `must not be longer than ${value_bytes_max} bytes` }
    total += Buffer.byteLength(name) + bytes
  }
  return total > total_bytes_max
    ? { path: 'env_vars', fault: `must not be larger than ${total_bytes_max} bytes in all` }
    : undefined
}

/** Hides an environment: only the keys open it, and only as that of the same deployment (D-60). */
export const sealEnv = (keys: SealingKeys, deployment_id: string, env: Environment) =>
  seal(keys, JSON.stringify(Object.entries(env)), deployment_id)

/** The environment that was sealed for this deployment. Throws where the keys or the deployment are others. */
export const openEnv = (keys: SealingKeys, deployment_id: string, sealed: Buffer): Environment =>
  Object.fromEntries(JSON.parse(openSealed(keys, sealed, deployment_id)) as [string, string][])
