import { appCredentials, openPlaza, type Deployment, type Plaza } from '@plaza/client'
import { usage } from './failures.ts'
import { findLogin, type Login } from './login-file.ts'
import { openOutput, type Output } from './output.ts'

/** A command that calls Plaza as an app. */
export interface Session {
  plaza: Plaza<'app'>
  login: Login
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

/** Opens the session of a command. Fails without a key. */
export async function openSession({ json }: { json?: true }, signal: AbortSignal): Promise<Session> {
  const login = await findLogin()
  const { url } = login
  return {
    login,
    signal,
    output: openOutput(json === true),
    plaza: openPlaza({
      url,
      credentials: appCredentials(login),
      signal,
      timeout_seconds: 75,
      retry_after_max_seconds: 60,
    }),
  }
}

/** The deployment of a command: the named one, or the only one. Otherwise fails with the names to choose from. */
export async function findDeployment({ plaza }: Session, name: string | undefined): Promise<Deployment> {
  const { deployments } = await plaza.listDeployments()
  return chosen(deployments, name)
}

/** The deployment of this name, or the only one. */
export function chosen(deployments: readonly Deployment[], name: string | undefined): Deployment {
  const names = deployments.map(({ subdomain }) => subdomain)
  const known = names.length === 0 ? 'Nothing is deployed yet.' : `These are there: ${names.join(', ')}.`
  if (name !== undefined) {
    const found = deployments.find(({ subdomain, id }) => subdomain === name || id === name)
    if (!found) throw usage(`There is no deployment “${name}”. ${known}`)
    return found
  }
  const [only, ...others] = deployments
  if (!only) throw usage(`${known} Deploy an image with “plaza deploy IMAGE --app NAME”.`)
  if (others.length > 0) throw usage(`Choose one with --app. ${known}`)
  return only
}
