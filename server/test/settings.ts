/** The registries of the tests' images. No worker runs, even on a machine with a container engine. */
export const hosting_settings = {
  ROLES: 'api',
  REGISTRY_PRIVATE: 'registry.plaza.test:5000',
  REGISTRY_PUBLIC: 'public.test',
  REGISTRY_CODE_HOST: 'code.test',
}

/** For tests that advance the clock by weeks: tokens stay valid. */
export const long_lifetimes = {
  JWT_TTL: '300000000',
  ACCESS_TOKEN_TTL: '300000000',
  REFRESH_TOKEN_TTL: '300000000',
  REFRESH_TOKEN_MAX_TTL: '300000000',
}

/** For tests of token lifetimes: people stay signed in while the clock advances by months. */
export const long_sign_ins = { JWT_TTL: '300000000' }

/** The settings of a service that charges for hosting. */
export const billing_settings = { ...long_lifetimes, BILLING: 'on' }

/** The settings of a router on a free loopback port. */
export const local_router = { ROLES: 'router', ROUTER_HOST: '127.0.0.1', ROUTER_PORT: '0' }
/** The same in a process with the API. */
export const api_and_router = { ...local_router, ROLES: 'api,router' }

/** For the router that test files share. Each deployment has at most `router_connections_max` concurrent requests. */
export const router_connections_max = 8
export const router_settings = {
  ...api_and_router,
  ROUTER_HOLD: '1',
  ROUTER_ANSWER_TIMEOUT: '1',
  ROUTER_CONNECTIONS_MAX: String(router_connections_max),
}
