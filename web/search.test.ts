import type { LinkProps, RegisteredRouter, RouteById } from '@tanstack/react-router'
import { expect, expectTypeOf, test } from 'vitest'
import { oneOf, parseSearch, stringifySearch, text, texts, validatorOf } from './search.ts'
import type { StaticPath } from './ui/link.tsx'

const validate = validatorOf({ q: text, open: texts, tab: oneOf('settings', 'scopes') })
const read = (query: string) => validate(parseSearch(query))

test('search parameters are parsed by the parsers of the page', () => {
  expect(read('?q=a&tab=scopes&open=one')).toEqual({ q: 'a', tab: 'scopes', open: ['one'] })
  expect(read('?open=one&open=two')).toEqual({ open: ['one', 'two'] })
  expect(read('?q=')).toEqual({ q: '' })
  expect(read('')).toEqual({})
})

test('numbers, JSON literals and escaped signs stay strings', () => {
  expect(read('?q=007')).toEqual({ q: '007' })
  expect(read('?q=true')).toEqual({ q: 'true' })
  expect(read('?q=a%2Bb+c')).toEqual({ q: 'a+b c' })
})

test('an invalid parameter is undefined, an unknown one stays in the URL', () => {
  expect(read('?q=a&q=b')).toEqual({ q: undefined })
  expect(read('?tab=nonsense')).toEqual({ tab: undefined })
  expect(read('?utm=x&__proto__=y&constructor=z')).toEqual({})
  const given = parseSearch('?utm=x&utm=y&q=a')
  expect(stringifySearch({ ...given, ...validate(given) })).toBe('?utm=x&utm=y&q=a')
})

test('a parsed query is formatted as it was', () => {
  for (const query of ['?q=a', '?open=one&open=two', '?open=one', '?q=a%2Bb+c&tab=settings', ''])
    expect(stringifySearch(read(query))).toBe(query)
  expect(stringifySearch({ q: undefined, open: [] })).toBe('')
})

type RouteAt<Path extends string> = RouteById<RegisteredRouter['routeTree'], Path>['types']

test('paths, path parameters and search parameters of the routes are types', () => {
  expectTypeOf<'/apps/$id' | '/learning/$module/$step' | '/oauth/authorize'>().toExtend<LinkProps['to']>()
  expectTypeOf<'/nowhere'>().not.toExtend<LinkProps['to']>()
  expectTypeOf<'/apps'>().toExtend<StaticPath>()
  expectTypeOf<'/apps/$id'>().not.toExtend<StaticPath>()
  expectTypeOf<RouteAt<'/learning/$module/$step'>['allParams']>().toExtend<{ module: string; step: string }>()
  expectTypeOf<RouteAt<'/chat'>['fullSearchSchema']>().toEqualTypeOf<{
    table?: string
    open?: string[]
    with?: string
  }>()
  expectTypeOf<RouteAt<'/admin/review'>['fullSearchSchema']>().toEqualTypeOf<{
    what?: 'apps' | 'scopes' | 'changed'
    status?: string
  }>()
})
