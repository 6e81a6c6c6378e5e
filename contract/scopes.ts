/** The scopes of OAuth apps, in the order in which the consent page shows them. */
export const scopes = {
  'profile:read': { grants: 'Read your profile and whether you are signed in to the app' },
  'points:read': { grants: 'See your point balance and history' },
  'points:spend': { grants: 'Spend your points in this app' },
  'points:transfer': { grants: 'Send your points to other people' },
  'app:balance:read': { grants: 'Read and edit the app’s own operator data, if you own the app' },
  'deploy:manage': { grants: 'Deploy and manage the app’s containers, if you own the app' },
  'points:award': { grants: 'Deprecated: kept for tokens that carry it, accepted by no endpoint' },
} as const

/** The scope of OpenID Connect (D-103): every app may ask for it, beside its allowed_scopes. */
export const openid_scope = { scope: 'openid', grants: 'Sign you in with your Plaza account' } as const

export type Scope = keyof typeof scopes

export const scope_names = Object.keys(scopes) as Scope[]

/** Scopes that only an admin can add to an app, after a scope request (D-31, D-32). */
export const scopes_never_granted_at_creation: readonly Scope[] = ['deploy:manage', 'points:award']

/** Scopes that can be requested: all but the deprecated one. */
export const requestable_scopes: readonly Scope[] = scope_names.filter((name) => name !== 'points:award')

/** Scopes that an ordinary user of an app grants: what the discovery document lists (D-36). */
export const scopes_of_ordinary_users: readonly Scope[] = [
  'profile:read',
  'points:read',
  'points:spend',
  'points:transfer',
]

export const isScope = (word: string): word is Scope => Object.hasOwn(scopes, word)
