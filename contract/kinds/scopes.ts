interface ScopeFacts {
  /** The permission of the app, as the consent page shows it. */
  grants: string
  /**
   * An app gets it at registration, when an admin grants a request (D-31, D-32), or never, because it is deprecated.
   */
  granted: 'at_registration' | 'by_request' | 'never'
  /** Only the owner of the app can use it; the discovery document does not list it (D-36). */
  of_owner: boolean
  /** Consent shows a warning with the balance, and offers a daily limit (D-100). */
  moves_points: boolean
  /** Available to an app that only a client metadata document describes (D-36). */
  for_documents: boolean
}

/** The scopes of OAuth apps, in the order in which the consent page shows them. */
export const scopes = {
  'profile:read': {
    grants: 'Read your profile and whether you are signed in to the app',
    granted: 'at_registration',
    of_owner: false,
    moves_points: false,
    for_documents: true,
  },
  'points:read': {
    grants: 'See your point balance and history',
    granted: 'at_registration',
    of_owner: false,
    moves_points: false,
    for_documents: true,
  },
  'points:spend': {
    grants: 'Spend your points in this app',
    granted: 'at_registration',
    of_owner: false,
    moves_points: true,
    for_documents: true,
  },
  'points:transfer': {
    grants: 'Send your points to other people',
    granted: 'at_registration',
    of_owner: false,
    moves_points: true,
    for_documents: false,
  },
  'app:balance:read': {
    grants: 'Read and edit the app’s own operator data, if you own the app',
    granted: 'at_registration',
    of_owner: true,
    moves_points: false,
    for_documents: false,
  },
  'deploy:manage': {
    grants: 'Deploy and manage the app’s containers, if you own the app',
    granted: 'by_request',
    of_owner: true,
    moves_points: false,
    for_documents: false,
  },
  'points:award': {
    grants: 'Deprecated: kept for tokens that carry it, accepted by no endpoint',
    granted: 'never',
    of_owner: false,
    moves_points: false,
    for_documents: false,
  },
} as const satisfies Record<string, ScopeFacts>

/** The scope of OpenID Connect (D-103): every app may ask for it, in addition to its allowed_scopes. */
export const openid_scope = { scope: 'openid', grants: 'Sign you in with your Plaza account' } as const

export type Scope = keyof typeof scopes

export const scope_names = Object.keys(scopes) as Scope[]

export const scopesWhere = (holds: (facts: ScopeFacts) => boolean) => scope_names.filter((name) => holds(scopes[name]))

/** Scopes that can be requested: all except the deprecated one. */
export const requestable_scopes = scopesWhere(({ granted }) => granted !== 'never')

/** Scopes that an ordinary user of an app can grant: the discovery document lists these (D-36). */
export const scopes_of_ordinary_users = requestable_scopes.filter((name) => !scopes[name].of_owner)

export const isScope = (word: string): word is Scope => Object.hasOwn(scopes, word)

/** Whether consent to these scopes lets an app move points. */
export const movePoints = (names: readonly string[]) => names.some((name) => isScope(name) && scopes[name].moves_points)
