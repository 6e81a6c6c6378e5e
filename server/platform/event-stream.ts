/** A streaming response of text frames, with a limit on the bytes buffered for a slow reader. */
export interface EventStream {
  /** Writes frames, or buffers them while the reader is slow. A reader beyond the limit is disconnected. */
  send(frames: readonly string[]): void
  /** Resolves when the buffer is empty or the stream is closed. */
  drained(): Promise<void>
  /** Milliseconds since the reader last accepted data; 0 if nothing is buffered. */
  stalledMs(): number
  /** Ends the stream after these frames; without any, destroys it. */
  end(frames?: readonly string[]): void
  isClosed(): boolean
  /** Calls `listener` once, when the stream is closed from either side. */
  onClose(listener: () => void): void
}
