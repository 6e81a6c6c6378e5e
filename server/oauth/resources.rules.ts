import type { Resource } from '../../contract/caller.ts'
import { mcp_path } from '../../contract/mcp.ts'
import { Failure } from '../platform/failure.ts'

/** The address of a resource (RFC 8707 §2): a token names it in `aud`. */
export const addressOf = (issuer: string, resource: Resource) =>
  resource === null ? issuer : new URL(mcp_path, issuer).href

/** The resource at this address; without one, the API. Fails with `invalid_target` for any other address. */
export function resourceAt(issuer: string, address: string | undefined): Resource {
  if (address === undefined) return null
  const sent = URL.canParse(address) ? new URL(address).href : ''
  if (sent === new URL(mcp_path, issuer).href) return 'mcp'
  if (sent === new URL(issuer).href) return null
  throw new Failure('invalid_target', { resource: address })
}

/** Checks that the resource in a token request, if any, is the granted one. Fails with `invalid_target`. */
export function requireResource(issuer: string, granted: Resource, address: string | undefined) {
  if (address !== undefined && resourceAt(issuer, address) !== granted)
    throw new Failure('invalid_target', { resource: address, why: 'another one was granted' })
}
