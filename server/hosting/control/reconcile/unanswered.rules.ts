import type { Listener as FullListener } from '../../containers.rules.ts'

type Listener = Pick<FullListener, 'address' | 'port'>

/** True if a program accepts connections from outside at this port: none waits for it. False if its listeners could not be read. */
export const accepts = (listeners: readonly FullListener[] | undefined, port: number) =>
  listeners?.some((each) => each.port === port && each.waiting === 0 && !isLoopback(each)) ?? false

const shown_max = 5
/** True if only programs in the container can reach it. */
const isLoopback = ({ address }: Listener) => address.startsWith('127.') || address === '::1'
const textOf = ({ address, port }: Listener) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)

/**
 * A message for the owner about a program that could not be reached: the port on which it must listen, and the
 * addresses on which it listens. `listeners` is undefined if they could not be read.
 */
export function unansweredMessage(
  message: string,
  { port, health_path }: { port: number; health_path: string | null },
  listeners: readonly Listener[] | undefined,
) {
  const wanted = `It has to listen on port ${port} (the variable PORT), at 0.0.0.0.`
  if (listeners === undefined) return `${message} ${wanted}`
  if (listeners.length === 0) return `${message} Nothing listens in the container. ${wanted}`
  if (listeners.some((listener) => listener.port === port && !isLoopback(listener)))
    return health_path === null
      ? `${message} It listens on port ${port}, and accepts no connection.`
      : `GET ${health_path} did not answer 2xx or 3xx on port ${port}.`
  const shown = listeners.slice(0, shown_max).map(textOf).join(', ')
  return `${message} It listens on ${shown}${listeners.length > shown_max ? ' and others' : ''}. ${wanted}`
}
