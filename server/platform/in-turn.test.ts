import { expect, test } from 'vitest'
import { openTurns } from './in-turn.ts'

test('D-83: large work runs one piece at a time, even after a failure; calls beyond the maximum of waiting ones are refused', async () => {
  const inTurn = openTurns(3)
  const [open, begun]: [(() => void)[], number[]] = [[], []]
  const work = (number: number) =>
    inTurn(async () => {
      begun.push(number)
      await new Promise<void>((done) => open.push(done))
      if (number === 1) throw new Error('no picture')
      return number
    })
  const results = [1, 2, 3].map((number) => work(number).catch((error: Error) => error.message))
  await expect(work(4)).rejects.toMatchObject({ code: 'overloaded' })
  for (const number of [1, 2, 3]) {
    await expect.poll(() => begun).toEqual([1, 2, 3].slice(0, number))
    open[number - 1]!()
  }
  expect(await Promise.all(results)).toEqual(['no picture', 2, 3])
  const after = work(5)
  await expect.poll(() => open.length).toBe(4)
  open[3]!()
  expect(await after).toBe(5)
})
