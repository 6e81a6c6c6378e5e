import { expect, test } from 'vitest'
import { baseOf, linesOfChange, linesOfRollBack, shortImage, type Release } from './releases.ts'

const release = (more: Partial<Release>): Release => ({
  id: 'r',
  number: 1,
  status: 'current',
  container_image: 'registry.test/web:1',
  image_digest: null,
  deploy_tier_id: 'small',
  memory_limit_mb: 128,
  cpu_limit_millicores: 250,
  port: 3000,
  custom_domain: null,
  replicas: 1,
  health_path: null,
  env_names: ['A', 'B'],
  changed: [],
  env_changed: [],
  rolled_back_to: null,
  initiated_by: null,
  failure: null,
  served_at: null,
  inserted_at: '2026-01-01T00:00:00.000Z',
  ...more,
})
const tierOf = (id: string) => `tier ${id}`

test('an image is shown with the beginning of its digest', () => {
  expect(shortImage(`registry.test/web@sha256:${'ab'.repeat(32)}`)).toBe('registry.test/web@sha256:abababababab…')
  expect(shortImage('registry.test/web:1')).toBe('registry.test/web:1')
})

test('a change starts from what is on its way, else from what serves, else from the newest', () => {
  const [pending, failed, current] = [
    release({ number: 3, status: 'pending' }),
    release({ number: 2, status: 'failed' }),
    release({}),
  ]
  expect(baseOf([pending, failed, current])).toBe(pending)
  expect(baseOf([failed, current])).toBe(current)
  expect(baseOf([failed])).toBe(failed)
  expect(baseOf([])).toBeUndefined()
})

test('the differences of a change are lines for people; values of variables are not among them', () => {
  const names = { tierOf, tierNamed: (slug: string) => `tier ${slug}` }
  expect(linesOfChange(release({}), { env_set: [], env_unset: [] }, names)).toEqual([])
  const change = {
    image: 'registry.test/web:2',
    tier: 'large',
    port: 8080,
    custom_domain: 'shop.example',
    env_set: ['A', 'C'],
    env_unset: ['B'],
  }
  expect(linesOfChange(release({}), change, names)).toEqual([
    'Image: registry.test/web:1 → registry.test/web:2',
    'Tier: tier small → tier large',
    'Port: 3000 → 8080',
    'Custom domain: none → shop.example',
    'A: a new value',
    'C: added',
    'B: taken away',
  ])
})

test('the differences of a roll back name the image by its digest, and variables that come and go', () => {
  const to = release({
    image_digest: 'registry.test/web@sha256:1',
    env_names: ['A', 'OLD'],
    port: 80,
    custom_domain: 'a.example',
  })
  const base = release({ number: 2, deploy_tier_id: 'large' })
  expect(linesOfRollBack(base, to, tierOf)).toEqual([
    'Image: registry.test/web:1 → registry.test/web@sha256:1',
    'Tier: tier large → tier small',
    'Port: 3000 → 80',
    'Custom domain: none → a.example',
    'OLD: added',
    'B: taken away',
    'All other variables get the values that they had in release 1.',
  ])
})
