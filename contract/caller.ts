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
  /** The roles that may make the call of an admin (D-135). */
  allowed_roles?: NeededRoles
  /** The role that the call needs (D-134), which was checked when it came. */
  team_role?: MemberRole
}

/** The resource that a token is for (RFC 8707): the MCP server (D-156), or null for the API. */
export type Resource = 'mcp' | null

/** An app that acts for a user. */
export interface AppActor {
  user_id: string
  app_id: string
  scopes: readonly Scope[]
  /** The role that the call of a person by an access token needs (D-134), which was checked when it came. */
  team_role?: MemberRole
}

/** An app that acts for a user with an access token. */
export interface AppCaller extends AppActor {
  grant_id: string
  /** Of a call that a tool of the MCP server makes (D-156): whether the person has allowed it when asked. */
  agent?: { was_asked: boolean }
}

/** An app itself, authenticated by its client secret (D-95). */
export interface ClientCaller {
  client_id: string
  app_id: string
  /** The secret that it was authenticated by. */
  secret_id: string
  owner_id: string
  is_approved: boolean
  allowed_scopes: readonly Scope[]
}

/** An app that acts by itself, or a member of it: what they act by must last until the act is booked. */
export type AppByMember = Pick<ClientCaller, 'app_id'> & {
  secret_id?: string
  /** The person, who must still have the role. */
  member_id?: string
  member_role?: MemberRole
}
