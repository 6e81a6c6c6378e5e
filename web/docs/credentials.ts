import type { Call } from './call.ts'
import { browser_storage, parseStored, tab_storage } from '../storage.ts'
import { element } from './element.ts'
import { ownAppChoice } from './own-app.ts'

/** The storage keys of the console's session, and of the playground's token for this page. */
const session_key = 'plaza.session'
const token_key = 'plaza.docs.token'

interface Session {
  token: string
  user: { username: string }
}

const ownSession = () => parseStored<Session>(browser_storage.get(session_key))

/** Client credentials stay in the memory of this page. */
const client = { client_id: '', client_secret: '' }

export interface Credentials {
  /** The part of the form that asks for credentials, or says whose they are. */
  parts: HTMLElement[]
  /** The `Authorization` header; undefined if the call needs none or none is available. */
  authorization(): string | undefined
}

/** The credentials of a call: the user's session, an access token, or an app's credentials. */
export function credentialsFor({ caller }: Call, here: string): Credentials {
  if (caller === 'user' || caller === 'admin') return ownCredentials(here)
  if (caller === 'app') return accessToken(here)
  if (caller === 'client') return clientCredentials()
  return { parts: [], authorization: () => undefined }
}

const signInLink = (here: string) => element('a', { href: `/sign-in?next=${encodeURIComponent(here)}` }, 'Sign in')

function ownCredentials(here: string): Credentials {
  const { user } = ownSession() ?? {}
  const note = user
    ? element('p', {}, 'As ', element('strong', {}, user.username), ', with your own session.')
    : element('p', {}, signInLink(here), ' to make this call with your own session.')
  return {
    parts: [note],
    authorization: () => {
      const token = ownSession()?.token
      return token === undefined ? undefined : `Bearer ${token}`
    },
  }
}

function accessToken(here: string): Credentials {
  const input = secretInput(tab_storage.get(token_key) ?? '')
  const keep = () => tab_storage.set(token_key, input.value.trim() || undefined)
  input.addEventListener('change', keep)
  const session = ownSession()
  const own = session
    ? ownAppChoice(session.token, (token) => {
        input.value = token
        keep()
      })
    : element('small', {}, signInLink(here), ' to use a token of your app.')
  return {
    parts: [element('label', {}, 'Access token', input), element('small', {}, 'Kept in this tab.'), own],
    authorization: () => (input.value.trim() === '' ? undefined : `Bearer ${input.value.trim()}`),
  }
}

function clientCredentials(): Credentials {
  const id = element('input', { autocomplete: 'off', spellcheck: 'false', value: client.client_id })
  const secret = secretInput(client.client_secret)
  id.addEventListener('change', () => (client.client_id = id.value.trim()))
  secret.addEventListener('change', () => (client.client_secret = secret.value.trim()))
  return {
    parts: [
      element('label', {}, 'client_id', id),
      element('label', {}, 'client_secret', secret),
      element('small', {}, 'They stay in the memory of this page. The console has them under My apps.'),
    ],
    authorization: () =>
      id.value.trim() === '' ? undefined : `Basic ${btoa(`${id.value.trim()}:${secret.value.trim()}`)}`,
  }
}

const secretInput = (value: string) =>
  element('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', value })
