import { expect, test } from 'vitest'
import { disconnectApp } from '../../contract/oauth.ts'
import { createHold } from '../../contract/payments.ts'
import { spendPoints } from '../../contract/points.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { startForwarder } from '../test/forwarder.ts'
import { sharedService } from '../test/harness.ts'
import { endAfterwards, startSample } from '../test/samples.ts'
import { waitUntil } from '../test/wait.ts'
import { world } from '../test/world.ts'

const file = 'events.md'
const plaza = await sharedService()
const scopes: Scope[] = ['points:read', 'points:spend']

test('follow-curl shows the stream', async () => {
  const { tokens } = await world(plaza, { points: 100, scopes })
  const program = startSample(plaza, file, 'follow-curl', { TOKEN: tokens.access_token })
  endAfterwards(program)
  await waitUntil(() => program.stdout().includes('event: balance\ndata: {"points":100,"held":0}'), 'the balance')
})

test.each(['follow-node', 'follow-python'])(
  '%s reports each change, continues after an interruption, and ends with the connection',
  async (id) => {
    const { user, app, tokens } = await world(plaza, { points: 100, scopes })
    const forwarder = await startForwarder(plaza)
    const program = startSample(forwarder, file, id, { TOKEN: tokens.access_token })
    endAfterwards(program)
    const hears = (line: RegExp) =>
      waitUntil(
        () => line.test(program.stdout()),
        () => `${line} (${program.stdout()} ${program.stderr()})`,
      )
    await hears(/^balance \{"points": ?100, ?"held": ?0\}/m)
    await tokens.api.result(spendPoints, { body: { amount: 30 } })
    await hears(/^balance \{"points": ?70, ?"held": ?0\}/m)
    forwarder.cut()
    await waitUntil(() => forwarder.requests() > 1, 'the next connection')
    const { hold } = await tokens.api.result(createHold, { body: { amount: 20 } })
    await hears(/^balance \{"points": ?50, ?"held": ?20\}/m)
    await user.api.result(disconnectApp, { params: { app_id: app.id } })
    await hears(/^connection_ended/m)
    const { code, stdout } = await program.ended
    const statuses = [...stdout.matchAll(/^hold .*"status": ?"(\w+)"/gm)].map(([, status]) => status)
    // The interruption loses and repeats nothing. The release of the hold may come before the end of the connection,
    // which causes it.
    expect([code, statuses.slice(0, 1), statuses.slice(1).filter((status) => status !== 'released')], stdout).toEqual([
      0,
      ['open'],
      [],
    ])
    expect(statuses.length).toBeLessThan(3)
    expect(stdout).toContain(hold.id)
  },
)
