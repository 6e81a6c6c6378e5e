/** A close frame with the code 1012: the service restarts, and the client may connect again (RFC 6455 §7.4, IANA). */
export const restart_frame = Buffer.from([0x88, 0x02, 0x03, 0xf4])

const close_opcode = 8

/** Tracks the frames that a container sends (RFC 6455 §5.2), to know when the router may add a frame. */
export function followFrames() {
  let head: number[] = []
  let payload_left = 0
  let has_closed = false

  /** Processes one byte of a frame's header; the payload begins after the last one. */
  function readHead(byte: number) {
    head.push(byte)
    const [first = 0, second = 0] = head
    const length = second & 0x7f
    const length_bytes = length === 126 ? 2 : length === 127 ? 8 : 0
    if (head.length < 2 || head.length < 2 + length_bytes + (second & 0x80 ? 4 : 0)) return
    if ((first & 0x0f) === close_opcode) has_closed = true
    payload_left =
      length_bytes === 0 ? length : head.slice(2, 2 + length_bytes).reduce((sum, part) => sum * 256 + part, 0)
    head = []
  }

  return {
    read(chunk: Buffer) {
      for (let at = 0; at < chunk.length;) {
        const skipped = Math.min(payload_left, chunk.length - at)
        payload_left -= skipped
        at += skipped
        if (at < chunk.length) readHead(chunk[at++]!)
      }
    },
    /** True if the last frame is complete and was not a close frame. */
    mayClose: () => !has_closed && head.length === 0 && payload_left === 0,
  }
}
