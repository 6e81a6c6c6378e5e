import type pg from 'pg'

type Release = (error?: Error) => void
type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: Release) => void

/**
 * The pool, but its clients may be released twice. graphile-worker 0.17 does so if it loses its listening connection during a stop; pg then
 * throws in a promise that nothing awaits, which would end the process.
 */
export function lenientPool(pool: pg.Pool): pg.Pool {
  const connect = (callback?: Callback) => {
    if (!callback) return pool.connect()
    // A pool that has ended only passes an error.
    return pool.connect((error, client, release?: Release) => {
      let is_released = false
      callback(error, client, (reason) => {
        if (is_released) return
        is_released = true
        release?.(reason)
      })
    })
  }
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
