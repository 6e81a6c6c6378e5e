/**
 * How many connections may wait to be accepted; Linux lowers it to `net.core.somaxconn`. With Node's 511, clients that all connect
 * again after a restart are dropped by the kernel, and try again ever more slowly: 19,700 of them took over five minutes instead of 37 s.
 */
export const accept_backlog_max = 65_535
