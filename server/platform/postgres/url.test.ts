import { expect, test } from 'vitest'
import { parseDatabaseUrl } from './url.ts'

test.each([
  ['postgres://h/db', ['h:5432'], 'any'],
  ['postgresql://u:pw@h:6432/db', ['h:6432'], 'any'],
  ['postgres://h/db?target_session_attrs=primary', ['h:5432'], 'primary'],
  ['postgres://u:p%40w@h1,h2/db', ['h1:5432', 'h2:5432'], 'read-write'],
  ['postgres://h1:1,h2:2,[::1]:3/db?target_session_attrs=any', ['h1:1', 'h2:2', '::1:3'], 'any'],
  ['postgres:///db?host=/a,/b&port=1,2&target_session_attrs=read-write', ['/a:1', '/b:2'], 'read-write'],
  ['postgres:///db?host=%2Fa,%2Fb&port=7', ['/a:7', '/b:7'], 'read-write'],
])('%s', (url, servers, role) => {
  const read = parseDatabaseUrl(url)
  expect([read.servers.map(({ host, port }) => `${host}:${port}`), read.role]).toEqual([servers, role])
})

test('the address of one server is not changed; of several servers, the driver gets the first with all other parts', () => {
  const alone = 'postgres://u:pw@h:1/db?sslmode=require'
  expect(parseDatabaseUrl(alone).connection_string).toBe(alone)
  const { connection_string } = parseDatabaseUrl(
    'postgres://u:p%40w@h1:1,h2/db?application_name=x&target_session_attrs=any',
  )
  const { username, password, pathname, searchParams } = new URL(connection_string)
  expect([username, password, pathname]).toEqual(['u', 'p%40w', '/db'])
  expect(Object.fromEntries(searchParams)).toEqual({ application_name: 'x', host: 'h1', port: '1' })
})

test.each([
  ['mysql://u:hush@h/db', 'must be a URL that begins with postgres:// or postgresql://'],
  ['h:5432/db', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://u:hush@h1,/db', 'names a host without a name'],
  ['postgres://u:hush@h1:x,h2/db', 'names a host that cannot be read'],
  ['postgres://u:hush@h1:0,h2/db', 'names a port that is none'],
  ['postgres://u:hush@h1,h2,h3/db?port=1,2', 'names 3 hosts but 2 ports'],
  [
    'postgres://u:hush@h1,h2/db?target_session_attrs=standby',
    'has a target_session_attrs that is not supported: use any, read-write, primary',
  ],
])('%s is refused, without its password', (url, message) => {
  expect(() => parseDatabaseUrl(url)).toThrow(new Error(message))
})
