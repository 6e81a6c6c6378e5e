import { expect, test } from 'vitest'
import { agentWorld, connectAgent, yes } from '../test/agents.ts'
import { sharedService } from '../test/harness.ts'

const plaza = await sharedService()

test('D-156: x', async () => {
  const { app, tokens } = await agentWorld(plaza, { points: 500 })
  const questions: string[] = []
  const { client, call } = await connectAgent(plaza, tokens.access_token, { onQuestion: (m) => (questions.push(m), yes) })
  const { tools } = await client.listTools()
  console.log(JSON.stringify(tools, null, 1))
  console.log(await call('getPoints'))
  console.log(await call('spendPoints', { amount: 25, description: 'a hat' }), questions, app.id)
  console.log(await call('spendPoints', { amount: '25' }))
  console.log(await call('pointsHistory', { limit: 2 }))
  console.log(client.getNegotiatedProtocolVersion?.())
})
