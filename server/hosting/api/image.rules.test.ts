import { expect, test } from 'vitest'
import { resolveImage, isRegistryHost, parseImage, type Registries } from './image.rules.ts'

const registries = { private: 'registry.plaza.test:5000', public: 'public.test', code_host: 'code.test' }
const { private: own, public: hub, code_host: code } = registries
const client_id = 'plz_0123456789abcdef'
const hex = (length: number) => 'a1'.repeat(40).slice(0, length)
const digest = `sha256:${hex(64)}`

/** Each reference with its canonical form. */
const good: [image: string, canonical: string][] = [
  [`${hub}/library/nginx:1.27`, `${hub}/library/nginx:1.27`],
  [`${hub}/library/nginx`, `${hub}/library/nginx:latest`],
  [`${hub}/library/nginx@${digest}`, `${hub}/library/nginx@${digest}`],
  [`${hub}/library/nginx:1.27@${digest}`, `${hub}/library/nginx@${digest}`],
  [`${hub}/library/a.b_c__d-e---f/g`, `${hub}/library/a.b_c__d-e---f/g:latest`],
  [`${own}/${client_id}/app:1`, `${own}/${client_id}/app:1`],
  [`${own}/${client_id}/deep/er/app`, `${own}/${client_id}/deep/er/app:latest`],
  [`${own}/shared/app:_v.1-x`, `${own}/shared/app:_v.1-x`],
  [`${code}/owner/repo:tag`, `${code}/owner/repo:tag`],
  [`${code}/owner`, `${code}/owner:latest`],
  [`${hub}/library/x:${'t'.repeat(128)}`, `${hub}/library/x:${'t'.repeat(128)}`],
]

const bad = [
  // No host, or hosts similar to the registries
  'nginx',
  `index.${hub}/library/nginx`,
  `${hub}.evil.test/library/x`,
  `${own}0/shared/x`,
  `${own.replace(':5000', '')}/shared/x`,
  `${hub}:443/library/x`,
  `${hub}./library/x`,
  `evil.test/${own}/shared/x`,
  // Credentials, schemes and slashes
  `${own}@evil.test/x`,
  `user:pw@${own}/shared/x`,
  `https://${own}/shared/x`,
  `//${own}/shared/x`,
  `${own}//shared/x`,
  // Wrong namespaces of a known registry
  `${hub}/someone/x`,
  `${hub}/libraryx/x`,
  `${hub}/library`,
  `${own}/other-tenant/app:1`,
  `${own}/${client_id}x/app:1`,
  `${own}/${client_id}`,
  `${own}/shared`,
  // Paths with dots, empty or escaped
  `${hub}/library/../evil/x`,
  `${hub}/library/./x`,
  `${hub}/library//x`,
  `${hub}/library/%2e%2e/x`,
  `${hub}/library/`,
  `${hub}/library/-x`,
  `${hub}/library/x___y`,
  `${hub}\\library\\x`,
  // Case and other characters
  `${hub.toUpperCase()}/library/x`,
  `${hub}/Library/x`,
  `рublic.test/library/x`,
  `${hub}/library/nginх`,
  ` ${hub}/library/x`,
  `${hub}/library/x `,
  `${hub}/library/x\n`,
  `${hub}/library/x\n:1`,
  `${hub}/library/x\ty`,
  `${hub}/library/x?y`,
  `${hub}/library/x;id`,
  // Tags and digests
  `${hub}/library/x:`,
  `${hub}/library/x:${'t'.repeat(129)}`,
  `${hub}/library/x:.y`,
  `${hub}/library/x:1:2`,
  `${hub}/library/x@`,
  `${hub}/library/x@sha256:${hex(63)}`,
  `${hub}/library/x@sha256:${hex(65)}`,
  `${hub}/library/x@sha256:${hex(64).toUpperCase()}`,
  `${hub}/library/x@md5:${hex(32)}`,
  `${hub}/library/x@${digest}@${digest}`,
  `${hub}/library/x@${digest}:1`,
  hex(64),
]

test('D-59 allowed images have one canonical form', () => {
  for (const [image, canonical] of good)
    expect([image, resolveImage(registries, client_id, image)]).toEqual([image, canonical])
})

test('D-59 all other references are refused', () => {
  for (const image of bad) expect([image, resolveImage(registries, client_id, image)]).toEqual([image, undefined])
})

test('D-59 a registry that is not configured is refused', () => {
  const none: Registries = { private: undefined, public: undefined, code_host: undefined }
  for (const [image] of good) expect(resolveImage(none, client_id, image)).toBeUndefined()
})

test('the longest name is 255 characters, host and slashes included', () => {
  const name = (length: number) => `${hub}/library/${'x'.repeat(length - `${hub}/library/`.length)}`
  expect(parseImage(name(255))).toBeDefined()
  expect(parseImage(name(256))).toBeUndefined()
})

test('valid and invalid registry hosts', () => {
  for (const host of ['registry.test', 'registry.test:5000', 'localhost:1', '127.0.0.1:5000', '[::1]:5000', 'a-b.c'])
    expect([host, isRegistryHost(host)]).toEqual([host, true])
  for (const host of ['', 'Registry.test', 'registry.test/', 'registry.test:0', 'a..b', '-a', 'a b', 'x:y', 'u@h'])
    expect([host, isRegistryHost(host)]).toEqual([host, false])
})
