/** One of the PostgreSQL servers of the same database. Only one at a time takes writes. */
export interface Server {
  host: string
  port: number
}

/**
 * Which of several servers to use, in libpq's terms: the first that answers, one whose sessions may write, or one that is not a standby.
 */
export type ServerRole = 'any' | 'read-write' | 'primary'

export interface DatabaseUrl {
  /** The same address with the first server only, in the driver's format. */
  connection_string: string
  /** In the order of preference; at least one. */
  servers: Server[]
  role: ServerRole
}

const roles: readonly ServerRole[] = ['any', 'read-write', 'primary']
const default_port = 5432
const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/

/**
 * Parses the address of a database as libpq does (PostgreSQL manual, 32.1.1.2): `postgres://user:pw@h1:5432,h2/db` or
 * `postgres:///db?host=/a,/b&port=1,2`, with `target_session_attrs`. With several servers and no such attribute, a server that takes writes
 * is used. Throws an `Error` whose message describes the problem and contains nothing of the address.
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const [, scheme, credentials, authority = '', path = '', query = ''] = form.exec(url) ?? []
  if (scheme === undefined) throw new Error('must be a URL that begins with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const servers = readServers(authority, parameters)
  const [first] = servers
  const given = parameters.get('target_session_attrs')
  const role = roles.find((name) => name === given) ?? (servers.length > 1 ? 'read-write' : 'any')
  if (given !== null && given !== role)
    throw new Error(`has a target_session_attrs that is not supported: use ${roles.join(', ')}`)
  const connection_string = servers.length > 1 ? withOneServer() : url
  if (!isReadable(connection_string)) throw new Error('must be a URL that begins with postgres:// or postgresql://')
  return { connection_string, servers, role }

  function withOneServer() {
    parameters.delete('target_session_attrs')
    parameters.set('host', first?.host ?? '')
    parameters.set('port', String(first?.port))
    const user = credentials === undefined ? '' : `${credentials}@placeholder`
    return `${scheme}${user}${path || '/'}?${parameters.toString()}`
  }
}

const isReadable = (url: string) => URL.canParse(url)

/** Reads the servers from the parameters if they name hosts, as in libpq; else from the authority. */
function readServers(authority: string, parameters: URLSearchParams): Server[] {
  const given = parameters.get('host')
  const pairs =
    given === null ? authority.split(',').map(readHost) : given.split(',').map((host) => ({ host, port: '' }))
  const given_port = parameters.get('port')
  const ports = given_port === null ? pairs.map(({ port }) => port) : given_port.split(',')
  if (ports.length !== 1 && ports.length !== pairs.length)
    throw new Error(`names ${pairs.length} hosts but ${ports.length} ports`)
  if (pairs.length > 1 && pairs.some(({ host }) => host === '')) throw new Error('names a host without a name')
  return pairs.map(({ host }, at) => ({ host, port: readPort(ports.length === 1 ? ports[0] : ports[at]) }))
}

function readHost(text: string) {
  const [, bracketed, bare = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? [undefined]
  if (bracketed === undefined && bare === '' && text !== '' && port === '')
    throw new Error('names a host that cannot be read')
  return { host: bracketed ?? decodeURIComponent(bare), port }
}

function readPort(text = '') {
  const port = text === '' ? default_port : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('names a port that is none')
  return port
}
