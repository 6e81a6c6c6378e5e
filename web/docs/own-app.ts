import { makeProofKey } from '../proof-key.ts'
import { element } from './element.ts'

interface App {
  client_id: string
  app_name: string
  is_approved: boolean
  redirect_uris: string[]
  allowed_scopes: string[]
}

/** The JSON of a successful response. Rejects with the message of a refusal. */
async function answerOf<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, { ...init, cache: 'no-store', credentials: 'omit' })
  const body = (await response.json()) as Answer & { message?: string; error_description?: string }
  if (!response.ok) throw new Error(body.message ?? body.error_description ?? `Plaza answered ${response.status}.`)
  return body
}

/**
 * Runs an app's code grant with PKCE for the signed-in user, and resolves with the access token. No URL contains a
 * secret: the code is in a response, and code, verifier and token are in bodies.
 */
async function tokenOf({ client_id, redirect_uris, allowed_scopes }: App, session_token: string): Promise<string> {
  const redirect_uri = redirect_uris[0] ?? ''
  if (!isSecureContext) throw new Error('A browser makes a PKCE challenge over https only.')
  const { verifier, challenge } = await makeProofKey()
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: allowed_scopes.join(' '),
  })
  const { code } = await answerOf<{ code: string }>(`/api/oauth/authorize?${query}`, {
    headers: { authorization: `Bearer ${session_token}` },
  })
  const { access_token } = await answerOf<{ access_token: string }>('/api/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      redirect_uri,
      code,
      code_verifier: verifier,
    }),
  })
  return access_token
}

/** A choice of the user's approved apps, with a button that gets the user a token of the chosen app. */
export function ownAppChoice(session_token: string, onToken: (token: string) => void): HTMLElement {
  const place = element('div', { class: 'own-app' })
  const note = element('small', { role: 'status' })
  const show = async () => {
    const apps = await answerOf<App[]>('/api/oauth/my-apps', { headers: { authorization: `Bearer ${session_token}` } })
    const usable = apps.filter(({ is_approved }) => is_approved)
    if (usable.length === 0)
      return place.replaceChildren(element('a', { href: '/apps' }, 'Register an app for a token'))
    const choice = element(
      'select',
      { 'aria-label': 'Your app' },
      ...usable.map(({ client_id, app_name }) => element('option', { value: client_id }, app_name)),
    )
    const button = element('button', { type: 'button' }, 'Use a token of this app')
    button.addEventListener('click', () => {
      const app = usable.find(({ client_id }) => client_id === choice.value)
      if (!app) return
      button.disabled = true
      tokenOf(app, session_token)
        .then((token) => {
          onToken(token)
          note.textContent = `${app.app_name} now acts for you, as you can see under Connected apps.`
        })
        .catch((error: Error) => (note.textContent = error.message))
        .finally(() => (button.disabled = false))
    })
    place.replaceChildren(choice, button, note)
  }
  show().catch((error: Error) => place.replaceChildren(element('small', {}, error.message)))
  return place
}
