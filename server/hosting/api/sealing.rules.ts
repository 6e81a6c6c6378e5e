import { decisions } from '../../../contract/decisions.ts'
import { fieldErrors, fieldsOf, type FieldError } from '../../platform/failure.ts'
import { openSealed, seal, type SealingKeys } from '../../platform/secrets.ts'

const { value_bytes_max, total_bytes_max } = decisions.environment

/** Environment variables. Read own properties only: any name is possible, even `__proto__`. */
export type Environment = Record<string, string>

/**
 * Validates the sizes of an environment in bytes of UTF-8; the schema checks names and types. Accepts a value of any
 * shape; skips values of other types.
 */
export function environmentErrors(env_vars: unknown, field = 'env_vars'): FieldError[] {
  let total = 0
  const errors: FieldError[] = []
  for (const [name, value] of Object.entries(fieldsOf(env_vars))) {
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
    if (bytes > value_bytes_max)
      errors.push(...fieldErrors(`${field}.${name}`, ['variable_bytes_max', { max: value_bytes_max }]))
    total += Buffer.byteLength(name) + bytes
  }
  if (errors.length === 0 && total > total_bytes_max)
    errors.push(...fieldErrors(field, ['environment_bytes_max', { max: total_bytes_max }]))
  return errors
}

/** Encrypts an environment; the deployment's id is authenticated with it (D-60). */
export const sealEnv = (keys: SealingKeys, deployment_id: string, env: Environment) =>
  seal(keys, JSON.stringify(Object.entries(env)), deployment_id)

/** Decrypts the environment of this deployment. Throws if the key is missing or the environment belongs to another deployment. */
export const openEnv = (keys: SealingKeys, deployment_id: string, sealed: Buffer): Environment =>
  Object.fromEntries(JSON.parse(openSealed(keys, sealed, deployment_id)) as [string, string][])
