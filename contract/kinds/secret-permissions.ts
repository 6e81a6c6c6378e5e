import { described, one_of } from '../schema.ts'

interface PermissionFacts {
  /** The calls that a secret with this permission may make. */
  grants: string
  /** The permission that it includes. */
  includes?: 'payments_read'
}

/** The permissions of client secrets (D-133), in the order in which lists show them. Each endpoint for apps declares the one it needs. */
export const secret_permissions = {
  token: { grants: 'Exchange authorization codes, refresh tokens and revoke them' },
  payments_read: { grants: 'Read the balance, transfers, holds and payouts of the app' },
  payments: { grants: 'Refund payments, and capture or void holds', includes: 'payments_read' },
  payouts: { grants: 'Pay points of the app to people', includes: 'payments_read' },
  deploy: { grants: 'Deploy and manage the containers of the app' },
  registry: { grants: 'Push and pull images of the app in the private registry' },
  webhooks: { grants: 'Read the events of the app' },
} as const satisfies Record<string, PermissionFacts>

export type SecretPermission = keyof typeof secret_permissions
export const secret_permission_names = Object.keys(secret_permissions) as SecretPermission[]

/** Whether a secret with these permissions may make a call that needs `needed`. */
export const isPermitted = (held: readonly SecretPermission[], needed: SecretPermission) =>
  held.some((name) => {
    const { includes }: PermissionFacts = secret_permissions[name]
    return name === needed || includes === needed
  })

/** The fields of the refusal of a call for lack of a permission. */
export const not_permitted_fields = {
  permission: described('The permission that the call needs', one_of(secret_permission_names)),
}
