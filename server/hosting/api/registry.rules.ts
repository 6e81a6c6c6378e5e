import { decisions } from '../../../contract/decisions.ts'

const { shared_namespace } = decisions.images

/** One repository and its permitted actions, in the token format of the distribution project. */
export interface Access {
  type: 'repository'
  name: string
  actions: string[]
}

/** The requester of a token: an app, or a worker that pulls deployed images. */
export type RegistryUser = { client_id: string } | 'worker'

const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const scope_pattern = new RegExp(`^repository:(?<name>${component}(?:/${component})+):(?<actions>[a-z,]+)$`)

/**
 * The permitted part of the requested access (D-59): an app pushes and pulls below its client_id and pulls shared
 * images; a worker only pulls. Repositories without permitted actions and other scopes are left out.
 */
export function allowedAccess(user: RegistryUser, scopes: readonly string[]): Access[] {
  return scopes
    .flatMap((text) => text.split(' '))
    .flatMap((scope) => {
      const { name, actions } = scope_pattern.exec(scope)?.groups ?? {}
      if (name === undefined || actions === undefined) return []
      const allowed = actions.split(',').filter((action) => actionsOf(user, name).includes(action))
      return allowed.length === 0 ? [] : [{ type: 'repository' as const, name, actions: [...new Set(allowed)] }]
    })
}

function actionsOf(user: RegistryUser, name: string) {
  if (user === 'worker') return ['pull']
  const [namespace] = name.split('/')
  if (namespace === user.client_id) return ['pull', 'push']
  return namespace === shared_namespace ? ['pull'] : []
}
