import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { bounded_text, described, integer, text } from './schema.ts'

const scope = bounded_text(1, 1_024)

/**
 * The token endpoint that the distribution project specifies for registries; `docker login`, `docker push` and others
 * call it.
 */
export const getRegistryToken = endpoint('GET /api/deploy/registry/token', {
  tag: 'Deployments',
  summary: 'A token for the private registry, for pushes and pulls of an app’s own images',
  description:
    'Registries send clients here (`WWW-Authenticate: Bearer realm=…`); people only need `docker login` with the app’s client_id and ' +
    'secret. The token contains the actions of `scope` that the app may do: push and pull below `<client_id>/`, and pull below ' +
    '`shared/`. The registry refuses all others. The token expires after five minutes. A service other than the private registry ' +
    'gets 404.',
  auth: 'client',
  secret_permission: 'registry',
  origin: 'extension',
  decision: 'D-95',
  limit: { requests: 300, seconds: 60 },
  query: Type.Object({
    service: described('The name of the registry, as in `GET /api/deploy/availability`', bounded_text(1, 255)),
    scope: Type.Optional(
      described(
        'The requested access, such as `repository:<client_id>/web:pull,push`; several are separated by spaces or in repeated parameters',
        Type.Unsafe<string | string[]>({ anyOf: [{ type: 'array', items: scope, maxItems: 20 }, scope] }),
      ),
    ),
    account: Type.Optional(described('Sent by Docker, and ignored', text)),
    client_id: Type.Optional(described('The name of the program, sent by Docker, and ignored', text)),
    offline_token: Type.Optional(described('Sent by `docker login`, and ignored: there are no refresh tokens', text)),
  }),
  response: Type.Object({
    token: described('The token, for the Authorization header of calls to the registry', text),
    access_token: described('The same, under its OAuth name', text),
    expires_in: described('Its lifetime in seconds', integer),
    issued_at: described('When it was created', Type.Unsafe<Date>({ type: 'string', format: 'date-time' })),
  }),
  fails: ['client_not_approved', 'client_lacks_scope', 'not_found'],
})
