/**
 * The maximum of connections that wait to be accepted; Linux lowers it to `net.core.somaxconn`. With Node's 511, the kernel drops clients
 * that all reconnect after a restart, and they retry with growing delays: 19,700 clients took over five minutes instead of 37 s.
 */
export const accept_backlog_max = 65_535
