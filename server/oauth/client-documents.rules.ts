import { isUtf8 } from 'node:buffer'
import { decisions } from '../../contract/decisions.ts'
import { fieldMessage } from '../../contract/field-errors.ts'
import { readTextError } from '../../contract/read-texts.ts'
import { isScope, type Scope } from '../../contract/kinds/scopes.ts'
import { fieldsOf } from '../platform/failure.ts'
import { appErrors, sortScopes } from './rules.ts'

/** The addresses from which client documents are read (CLIENT_DOCUMENTS). */
export type DocumentAddresses = 'public' | 'any' | 'off'

const document_scopes: readonly string[] = decisions.client_documents.document_scopes
const { redirect_uris_max } = decisions.redirect_uris

/**
 * Whether a client_id may be the address of a document: a normalized https URL with a path, and without a query, a
 * fragment or user information. With `any`, also http on a loopback address.
 */
export function isDocumentAddress(client_id: string, addresses: DocumentAddresses) {
  if (addresses === 'off' || !/^[\x21-\x7e]+$/.test(client_id) || !URL.canParse(client_id)) return false
  const { protocol, hostname, pathname, href, search, hash, username, password } = new URL(client_id)
  if (href !== client_id || pathname === '/' || `${search}${hash}${username}${password}` !== '') return false
  return protocol === 'https:' || (addresses === 'any' && protocol === 'http:' && hostname === '127.0.0.1')
}

export interface DocumentedApp {
  app_name: string
  redirect_uris: string[]
  website_url: string | null
  allowed_scopes: Scope[]
}

/** The app that a document describes. Throws an `Error` that names the fault without the document's content. */
export function readDocument(content: Buffer, client_id: string): DocumentedApp {
  const fields = parseFields(content)
  if (fields.client_id !== client_id) throw new Error('client_id is not its address')
  if ('client_secret' in fields || 'client_secret_expires_at' in fields) throw new Error('it has a client secret')
  if (fields.token_endpoint_auth_method !== 'none') throw new Error('token_endpoint_auth_method is not none')
  requireWord(fields, 'grant_types', 'authorization_code')
  requireWord(fields, 'response_types', 'code')
  const app_name = textOf(fields, 'client_name', 100).trim()
  const name_fault = readTextError('name', app_name)
  if (name_fault) throw new Error(`client_name ${fieldMessage(name_fault)}`)
  const website_url = fields.client_uri === undefined ? null : textOf(fields, 'client_uri', 2_048)
  const redirect_uris = redirectUrisOf(fields)
  const [error] = appErrors({ redirect_uris, website_url })
  if (error) throw new Error(`${error.path} ${error.message}`)
  return { app_name, redirect_uris, website_url, allowed_scopes: scopesOf(fields) }
}

type Fields = Record<string, unknown>

function parseFields(content: Buffer): Fields {
  if (!isUtf8(content)) throw new Error('it is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    throw new Error('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not an object')
  return fieldsOf(value)
}

/** A text that PostgreSQL can store (D-08), with a maximum of characters. */
function textOf(fields: Fields, name: string, characters_max: number) {
  const value = fields[name]
  if (typeof value !== 'string') throw new Error(`${name} is not a text`)
  if (/[\0\p{Surrogate}]/u.test(value) || [...value].length > characters_max)
    throw new Error(`${name} is no usable text`)
  return value
}

function redirectUrisOf({ redirect_uris }: Fields) {
  if (!Array.isArray(redirect_uris) || redirect_uris.length < 1 || redirect_uris.length > redirect_uris_max)
    throw new Error(`redirect_uris is not a list of 1 to ${redirect_uris_max}`)
  return redirect_uris.map((_, at) => textOf(redirect_uris as unknown as Fields, String(at), 2_048))
}

/** Requires a list, if present, to contain the allowed word. */
function requireWord(fields: Fields, name: string, word: string) {
  const words = fields[name]
  if (words !== undefined && !(Array.isArray(words) && words.includes(word))) throw new Error(`${name} lacks ${word}`)
}

/** The scopes in the document that such an app may have; the profile scope if there is none. */
function scopesOf({ scope }: Fields): Scope[] {
  const named = typeof scope === 'string' ? scope.split(' ') : []
  const scopes = sortScopes(named.filter((name) => isScope(name) && document_scopes.includes(name)))
  return scopes.length > 0 ? scopes : ['profile:read']
}
