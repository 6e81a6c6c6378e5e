import { expect } from 'vitest'
import type { TestService } from '../harness.ts'
import type { SomeUser } from '../world.ts'

interface Granted {
  code: string
  redirect_uri: string
  state?: string
  iss: string
}

/**
 * Acts as the browser of a signed-in user who grants the request of a library's authorization URL: sends its query unchanged,
 * as the consent page does, and returns the callback URL.
 */
export async function allow(plaza: TestService, user: SomeUser, authorization_url: string | URL): Promise<URL> {
  const { origin, pathname, search } = new URL(authorization_url)
  expect(origin + pathname).toBe(`${plaza.url}/oauth/authorize`)
  const response = await fetch(`${plaza.url}/api/oauth/authorize${search}`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  const answer = (await response.json()) as Granted
  expect(response.status, JSON.stringify(answer)).toBe(200)
  const { code, redirect_uri, state, iss } = answer
  const callback = new URL(redirect_uri)
  callback.searchParams.set('code', code)
  if (state !== undefined) callback.searchParams.set('state', state)
  callback.searchParams.set('iss', iss)
  return callback
}

/** Acts as the browser of a user who denies; returns the callback URL. */
export function deny(plaza: TestService, authorization_url: string | URL): URL {
  const { searchParams } = new URL(authorization_url)
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('error', 'access_denied')
  const state = searchParams.get('state')
  if (state !== null) callback.searchParams.set('state', state)
  callback.searchParams.set('iss', plaza.url)
  return callback
}

/** The cookies of a browser. */
export function cookieJar() {
  const cookies = new Map<string, string>()
  return {
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    /** Stores the cookies of an answer's `Set-Cookie` headers. */
    keep(headers: readonly string[]) {
      for (const set of headers) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        cookies.set(name, value)
      }
    },
  }
}
