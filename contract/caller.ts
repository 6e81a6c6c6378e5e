import type { Scope } from './scopes.ts'

/** Nobody in particular: known by the address the call came from. */
export interface AnonymousCaller {
  address: string
}

/** A person with a good JWT. */
export interface UserCaller {
  user_id: string
  session_id: string
  is_admin: boolean
}

/** An app that acts for a person, by an access token. */
export interface AppCaller {
  user_id: string
  app_id: string
  grant_id: string
  scopes: readonly Scope[]
}
