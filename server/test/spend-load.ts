import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { countBy } from './harness.ts'
import { sleep } from './wait.ts'

export interface Outcome {
  /** A status, or the code of a connection error. */
  outcome: string
  /** The response header. */
  connection: string | undefined
  key: string
}

/** Spends for the person of this access token. Each has its own Idempotency-Key. */
export function spendingWith(access_token: string) {
  const load_id = randomUUID()
  let keys = 0
  let open = 0
  /** Spends one point with a key. */
  const spend = (url: string, agent: Agent, key: string) =>
    new Promise<Outcome>((done) => {
      const outgoing = request(
        `${url}/api/external/points/spend`,
        {
          agent,
          method: 'POST',
          headers: {
            authorization: `Bearer ${access_token}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
        },
        (answer) => {
          const { connection } = answer.headers
          const finish = (outcome: string) => done({ outcome, connection, key })
          answer.on('error', (error: NodeJS.ErrnoException) => finish(`answer cut off: ${error.code}`))
          let body = ''
          answer.on('data', (chunk) => void (body += chunk))
          answer.on('end', () => finish(answer.statusCode === 200 ? '200' : `${answer.statusCode} ${body}`))
        },
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        done({ outcome: error.code ?? error.message, connection: undefined, key }),
      )
      outgoing.end('{"amount":1}')
    })

  /**
   * Spends on keep-alive connections, with sequential requests on each, while `isRunning` returns true. Without a pause, the load would
   * take the processors from the code under test.
   */
  async function spendOn(url: string, connections: number, isRunning: (last?: Outcome) => boolean, pauseMs = () => 60) {
    const all = await Promise.all(
      Array.from({ length: connections }, async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        const outcomes: Outcome[] = []
        while (isRunning(outcomes.at(-1))) {
          open++
          outcomes.push(await spend(url, agent, `${load_id}-${++keys}`))
          open--
          await sleep(pauseMs())
        }
        agent.destroy()
        return outcomes
      }),
    )
    return all.flat()
  }

  return {
    spend,
    spendOn,
    /** The number of spends of `spendOn` that wait for their answer. */
    open: () => open,
    /** The number of spends that `spendOn` has sent so far. */
    sent: () => keys,
  }
}

/** The number of times that each outcome occurred. */
export const counted = (outcomes: readonly Outcome[]) => countBy(outcomes, ({ outcome }) => outcome)
