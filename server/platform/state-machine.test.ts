import { expect, test } from 'vitest'
import { StateMachine } from './state-machine.ts'

const transitions = { shut: ['open'], open: ['shut', 'broken'], broken: [] } as const

test('a state machine follows its table', () => {
  const door = new StateMachine('door', transitions, 'shut')
  door.enter('open')
  door.enter('shut')
  door.enter('open')
  expect(door.current).toBe('open')
  expect([door.is('open'), door.is('shut', 'broken'), door.is('shut', 'open')]).toEqual([true, false, true])
})

test('a transition that the table does not list throws, and changes nothing', () => {
  const door = new StateMachine('door', transitions, 'shut')
  expect(() => door.enter('broken')).toThrow('door: broken may not follow shut')
  expect(() => door.enter('shut')).toThrow('door: shut may not follow shut')
  expect(door.current).toBe('shut')
  door.enter('open')
  door.enter('broken')
  for (const state of ['shut', 'open', 'broken'] as const)
    expect(() => door.enter(state)).toThrow('may not follow broken')
})

test('with a handler, an illegal transition is reported but still made', () => {
  const reported: string[] = []
  const door = new StateMachine('door', transitions, 'shut', ({ message }) => reported.push(message))
  door.enter('open')
  expect(reported).toEqual([])
  door.enter('open')
  door.enter('broken')
  door.enter('shut')
  expect(reported).toEqual(['door: open may not follow open', 'door: shut may not follow broken'])
  expect(door.current).toBe('shut')
})
