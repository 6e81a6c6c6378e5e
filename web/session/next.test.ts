import { expect, test } from 'vitest'
import { nextSearch, nextTarget } from './next.ts'

test.each(['https://evil.test/', '//evil.test/', '/\\evil.test', 'javascript:alert(1)'])(
  'a sign-in does not redirect to other sites: %s',
  (next) => {
    expect(nextTarget(next)).toEqual({ href: '/', reloadDocument: false })
    expect(nextSearch(next)).toEqual({})
  },
)
