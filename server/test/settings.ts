/** The registries of the tests' images. No worker runs, even on a machine with a container engine. */
export const hosting_settings = {
  ROLES: 'api',
  REGISTRY_PRIVATE: 'registry.plaza.test:5000',
  REGISTRY_PUBLIC: 'public.test',
  REGISTRY_CODE_HOST: 'code.test',
}

/** For tests that move the clock on by weeks: tokens stay valid. */
export const long_lifetimes = { JWT_TTL: '300000000', ACCESS_TOKEN_TTL: '300000000', REFRESH_TOKEN_TTL: '300000000' }

/** For tests of the lifetimes of tokens: people stay signed in while the clock moves on by months. */
export const long_sign_ins = { JWT_TTL: '300000000' }
