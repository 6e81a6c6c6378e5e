import type { AdminRole, NeededRoles } from './kinds/admin-roles.ts'
import type { MemberRole } from './kinds/member-roles.ts'
import type { Scope } from './kinds/scopes.ts'

/** An unauthenticated caller, identified by its network address. */
export interface AnonymousCaller {
  address: string
}

/** A user with a valid JWT. */
export interface UserCaller {
  user_id: string
  session_id: string
  is_admin: boolean
  admin_roles: readonly AdminRole[]
  /** The admin roles that allow the call (D-135). */
  allowed_roles?: NeededRoles
  /** The role that the call needs (D-134), as checked when the request arrived. */
  team_role?: MemberRole
}

/** The resource that a token is for (RFC 8707): the MCP server (D-156), or null for the API. */
export type Resource = 'mcp' | null

/** An app that acts for a user. */
export interface AppActor {
  user_id: string
  app_id: string
  scopes: readonly Scope[]
  /** The role that a person's call by an access token needs (D-134), as checked when the request arrived. */
  team_role?: MemberRole
}

/** An app that acts for a user with an access token. */
export interface AppCaller extends AppActor {
  grant_id: string
  /** Set for calls by a tool of the MCP server (D-156): whether the person was asked and agreed. */
  agent?: { was_asked: boolean }
}

/** An app itself, authenticated by its client secret (D-95). */
export interface ClientCaller {
  client_id: string
  app_id: string
  /** The secret that authenticated it. */
  secret_id: string
  owner_id: string
  is_approved: boolean
  allowed_scopes: readonly Scope[]
}

/** An app, acting by itself or through a member. Secret or membership must still be valid when the act is booked. */
export type AppByMember = Pick<ClientCaller, 'app_id'> & {
  secret_id?: string
  /** The person, who must still have the role. */
  member_id?: string
  member_role?: MemberRole
}
