import type { Scope } from './scopes.ts'

/** An unauthenticated caller, identified by its network address. */
export interface AnonymousCaller {
  address: string
}

/** A user with a valid JWT. */
export interface UserCaller {
  user_id: string
  session_id: string
  is_admin: boolean
}

/** An app that acts for a user with an access token. */
export interface AppCaller {
  user_id: string
  app_id: string
  grant_id: string
  scopes: readonly Scope[]
}
