import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { firstAdmin, sharedService } from '../test/harness.ts'

const plaza = await sharedService()

test('a stopping service finishes pending requests and does not wait for idle connections', async () => {
  const { url, service } = await plaza.startAnother()
  const agent = new Agent({ keepAlive: true })
  const unused = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => {
    agent.destroy()
    unused.destroy()
  })
  await once(unused, 'connect')
  // Checking a password takes long enough for the service to stop in the meantime.
  const signing_in = request(`${url}/api/auth/login`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  signing_in.end(JSON.stringify(firstAdmin))
  const begun = once(service.app.fastify.server, 'request')
  const answered = once(signing_in, 'response') as Promise<[IncomingMessage]>
  await begun
  const stopped = service.stop()
  const [answer] = await answered
  expect(answer.statusCode).toBe(200)
  answer.resume()
  await stopped
})
