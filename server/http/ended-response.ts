const checked_every_ms = 500

/**
 * A response whose stream ends soon after `mayRead` fails: the token may expire while the client reads. Returns a response without a stream
 * unchanged.
 */
export function endedWith(response: Response, mayRead: () => Promise<boolean>): Response {
  const { body, status, headers } = response
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response
  const reader = body.getReader()
  let timer: NodeJS.Timeout | undefined
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        clearInterval(timer)
        void reader.cancel().catch(() => {})
        controller.error(new Error('the token has ended'))
      }
      timer = setInterval(() => void mayRead().then((may) => may || end(), end), checked_every_ms).unref()
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      clearInterval(timer)
      controller.close()
    },
    cancel(reason) {
      clearInterval(timer)
      return reader.cancel(reason)
    },
  })
  return new Response(stream, { status, headers })
}
