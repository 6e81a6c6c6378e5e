import { call } from './calling.ts'
import type { CredentialKind, Credentials } from './credentials.ts'
import { eventStream } from './event-stream.ts'
import type { AdminCalls } from './generated/admin-calls.ts'
import type { AnyCalls } from './generated/any-calls.ts'
import type { AppCalls } from './generated/app-calls.ts'
import type { OpenCalls } from './generated/open-calls.ts'
import { operations } from './generated/paths.ts'
import type { PersonCalls } from './generated/person-calls.ts'
import type { TokenCalls } from './generated/token-calls.ts'
import type { TokenOrAppCalls } from './generated/token-or-app-calls.ts'
import type { CallOptions } from './options.ts'
import type { Input, Operation, Service } from './sending.ts'

interface CallsBy {
  person: PersonCalls & AdminCalls & AnyCalls
  token: TokenCalls & TokenOrAppCalls & AnyCalls
  app: AppCalls & TokenOrAppCalls & AnyCalls
}

/** The operations that accept this kind of credentials, by id. Each can be passed on as a function. */
export type Plaza<Kind extends CredentialKind = never> = OpenCalls & ([Kind] extends [never] ? unknown : CallsBy[Kind])

export interface PlazaOptions<Kind extends CredentialKind = never> extends Omit<CallOptions, 'on_answer'> {
  /** The address of Plaza, exactly as its `PUBLIC_URL`. */
  url: string
  /** The credentials of calls; without them, only public operations are available. */
  credentials?: Credentials<Kind> | undefined
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined
}

/** Creates a client. It holds no connection and need not be closed. Create one for each person. */
export function openPlaza<Kind extends CredentialKind = never>(options: PlazaOptions<Kind>): Plaza<Kind> {
  const { url: base, credentials, fetch: given, ...defaults } = options
  const url = base.replace(/\/+$/, '')
  let open: OpenCalls | undefined
  const service: Service = {
    url,
    credentials,
    defaults,
    fetch: given ?? ((...request) => fetch(...request)),
    open: () => (open ??= callsOf({ ...service, credentials: undefined }) as unknown as OpenCalls),
  }
  return callsOf(service) as unknown as Plaza<Kind>
}

const callsOf = (service: Service) =>
  Object.fromEntries(Object.entries(operations).map(([id, line]) => [id, methodOf(service, operationOf(id, line))]))

function operationOf(id: string, line: string): Operation {
  const [method = '', path = '', ...marks] = line.split(' ')
  const kind = marks.includes('csv') ? 'csv' : marks.includes('events') ? 'events' : undefined
  const query = marks.filter((mark) => mark.startsWith('?')).map((mark) => mark.slice(1))
  return { id, method, path, kind, query, is_keyed: marks.includes('keyed'), is_open: marks.includes('open') }
}

const methodOf = (service: Service, operation: Operation) =>
  operation.kind === 'events'
    ? (input: Input = {}, options = {}) => eventStream(service, operation, input, options)
    : (input: Input = {}, options = {}) => call(service, operation, input, options)
