/**
 * Servers close idle connections after this time. It is longer than that of the proxies in front of them (`keepalive`
 * in deploy/Caddyfile), so that the proxy closes first: a request on a connection that is being closed would be lost.
 */
export const keep_alive_timeout_ms = 125_000
