import type { BodyOf } from '../../contract/endpoint.ts'
import type { createSecret } from '../../contract/oauth-apps.ts'
import { isPermitted, secret_permission_names, type SecretPermission } from '../../contract/kinds/secret-permissions.ts'
import { fieldErrors, invalidField, refuseFieldErrors } from '../platform/failure.ts'
import { isNetwork, isWithin } from '../platform/networks.ts'

/** The calls that a secret permits, its expiry, and the networks that may use it (D-133). */
export interface SecretBounds {
  permissions: SecretPermission[]
  expires_at: Date | null
  /** Networks in CIDR notation; empty for any. */
  allowed_addresses: string[]
}

/** A call with a secret: the permission that it needs, and its source address. */
export interface SecretUse {
  permission: SecretPermission
  address: string
}

export const hasEnded = ({ expires_at }: Pick<SecretBounds, 'expires_at'>, now: Date) =>
  expires_at !== null && expires_at <= now

/** The reason why a secret may not make a call; undefined if it may. */
export function refusalOf({ permissions, allowed_addresses }: SecretBounds, { permission, address }: SecretUse) {
  if (allowed_addresses.length > 0 && !isWithin(allowed_addresses, address)) return 'address'
  return isPermitted(permissions, permission) ? undefined : 'permission'
}

export type SecretRequest = BodyOf<typeof createSecret>

/** The restrictions of a new secret. Fails with `validation_failed` for an expiry in the past or an invalid network. */
export function boundsOf(request: SecretRequest, now: Date): SecretBounds & { name: string | null } {
  const { name = null, permissions = secret_permission_names, expires_at, allowed_addresses = [] } = request
  refuseFieldErrors(
    allowed_addresses.flatMap((network, at) =>
      fieldErrors(`allowed_addresses.${at}`, !isNetwork(network) && 'network'),
    ),
  )
  return {
    name,
    permissions: secret_permission_names.filter((one) => permissions.includes(one)),
    expires_at: expires_at === undefined ? null : readEnd(expires_at, now),
    allowed_addresses,
  }
}

function readEnd(text: string, now: Date) {
  const end = new Date(text)
  if (Number.isNaN(end.getTime())) throw invalidField('expires_at', 'moment')
  if (end <= now) throw invalidField('expires_at', 'to_come')
  return end
}
