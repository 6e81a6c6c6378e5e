import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import type { Config } from '../config.ts'

interface ListenAddress {
  host: string
  port: number
  host_setting: string
  port_setting: string
}

/** Describes in one sentence why the server cannot listen, and names the setting. Returns any other error unchanged. */
export function explainListenError(error: unknown, { host, port, host_setting, port_setting }: ListenAddress): unknown {
  const { code } = error as NodeJS.ErrnoException
  const because = (why: string) => new Error(`${why} (${code}).`, { cause: error })
  switch (code) {
    case 'EADDRINUSE':
      return because(
        `Port ${port} of ${host} is used by another program, perhaps another Plaza: stop it, or set ${port_setting} to another port`,
      )
    case 'EACCES':
      return because(`This user may not listen on port ${port}: set ${port_setting} to a port above 1023`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return because(
        `${host_setting} is "${host}", which is no address and no known name: 0.0.0.0 means all interfaces`,
      )
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return because(
        `${host_setting} is "${host}", which is not an address of this machine: 0.0.0.0 means all interfaces`,
      )
    default:
      return error
  }
}

/** Listens at an address; returns it as a URL. Fails with a sentence that names the setting. */
export async function listenAt(server: Server, { host, port, ...settings }: ListenAddress): Promise<string> {
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw explainListenError(error, { host, port, ...settings })
  }
  const { address, port: bound, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}

/** Throws if the API cannot listen, before a database is created or changed. */
export async function refuseTakenPort({ roles, host, port }: Pick<Config, 'roles' | 'host' | 'port'>) {
  if (!roles.includes('api') || port === 0) return
  const server = createServer()
  try {
    await listenAt(server, { host, port, host_setting: 'HOST', port_setting: 'PORT' })
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}
