import { expect, test } from 'vitest'
import { followFrames } from './websocket-frames.ts'

const frame = (opcode: number, bytes: number, masked = false) => {
  const length =
    bytes < 126 ? [bytes] : bytes < 65_536 ? [126, bytes >> 8, bytes & 255] : [127, 0, 0, 0, 0, ...int32(bytes)]
  length[0]! |= masked ? 0x80 : 0
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length]), Buffer.alloc((masked ? 4 : 0) + bytes, 0x88)])
}
const int32 = (number: number) => [number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255]

test('D-126: the router may end a WebSocket only between two frames, however the bytes are split', () => {
  const sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]
  for (const masked of [false, true])
    for (const size of sizes)
      for (const piece of [1, 3, 1_000, 1e9]) {
        const frames = followFrames()
        const bytes = Buffer.concat([frame(1, size, masked), frame(2, 5)])
        expect(frames.mayClose()).toBe(true)
        for (let at = 0; at < bytes.length; at += piece) {
          const end = Math.min(at + piece, bytes.length)
          frames.read(bytes.subarray(at, end))
          const is_between = end === bytes.length || end === bytes.length - 7
          if (frames.mayClose() !== is_between) expect([size, piece, end, frames.mayClose()]).toEqual([is_between])
        }
      }
})

test('D-126: after a close frame of the container nothing follows', () => {
  const frames = followFrames()
  frames.read(frame(9, 4))
  expect(frames.mayClose()).toBe(true)
  frames.read(frame(8, 2))
  expect(frames.mayClose()).toBe(false)
})
