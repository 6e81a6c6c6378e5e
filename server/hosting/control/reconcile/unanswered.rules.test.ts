import { expect, test } from 'vitest'
import { accepts, unansweredMessage } from './unanswered.rules.ts'

test('D-126: a message names the port that did not answer and the addresses on which the program listens', () => {
  const wanted = 'It has to listen on port 3000 (the variable PORT), at 0.0.0.0.'
  const late = 'Its port did not answer within 60 seconds.'
  const wants = { port: 3000, health_path: null }
  const message = (...listeners: [string, number][]) =>
    unansweredMessage(
      late,
      wants,
      listeners.map(([address, port]) => ({ address, port })),
    )
  expect(unansweredMessage(late, wants, undefined)).toBe(`${late} ${wanted}`)
  expect(message()).toBe(`${late} Nothing listens in the container. ${wanted}`)
  expect(message(['0.0.0.0', 8080])).toBe(`${late} It listens on 0.0.0.0:8080. ${wanted}`)
  expect(message(['127.0.0.1', 3000], ['::1', 3000])).toBe(
    `${late} It listens on 127.0.0.1:3000, [::1]:3000. ${wanted}`,
  )
  expect(message(['::', 3000])).toBe(`${late} It listens on port 3000, and accepts no connection.`)
  expect(unansweredMessage(late, { ...wants, health_path: '/healthz' }, [{ address: '::', port: 3000 }])).toBe(
    'GET /healthz did not answer 2xx or 3xx on port 3000.',
  )
  const many = Array.from({ length: 7 }, (_, at): [string, number] => ['0.0.0.0', at + 1])
  expect(message(...many)).toContain('0.0.0.0:5 and others.')
})

test('H18: a program accepts connections from outside if it listens there and none waits for it', () => {
  const at = (address: string, port: number, waiting = 0) => [{ address, port, waiting }]
  expect(
    [at('0.0.0.0', 80), at('::', 80), at('127.0.0.1', 80), at('0.0.0.0', 81), at('0.0.0.0', 80, 1), undefined].map(
      (each) => accepts(each, 80),
    ),
  ).toEqual([true, true, false, false, false, false])
})
