import { expect, test } from 'vitest'
import {
  adminGetUser,
  adminListConnections,
  adminListMovements,
  adminListSessions,
  confirmSecondFactorProof,
  startSecondFactorProof,
} from '../../contract/admin-users.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { enableTwoFactor } from '../test/two-factor.ts'
import { auditOf, someUser, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

test('D-110: an admin’s access to a person’s data is audited, once in ten minutes', async () => {
  const params = { id: (await someUser(plaza)).id }
  const looks = [adminGetUser, adminListSessions, adminListConnections, adminListMovements] as const
  const lookAtAll = async () => {
    for (const endpoint of looks) expect((await admin.api.call(endpoint, { params })).status).toBe(200)
  }
  await lookAtAll()
  await lookAtAll()
  const parts = ['movements', 'connections', 'sessions', 'account']
  const entries = parts.map((at) => ({ action: 'user.read', actor_id: admin.id, details: { at } }))
  expect(await auditOf(admin, params.id)).toEqual(entries)
  plaza.clock.advance(601)
  await lookAtAll()
  expect(await auditOf(admin, params.id)).toEqual([...entries, ...entries])
})

test('D-110: a wrong code that an admin enters for a person is audited', async () => {
  const user = await someUser(plaza)
  await enableTwoFactor(plaza, user)
  const params = { id: user.id }
  await admin.api.result(startSecondFactorProof, { params, body: { reason: 'Lost the phone' } })
  const body = { code: '00000000', reason: 'Told on the phone' }
  expect(outcome(await admin.api.call(confirmSecondFactorProof, { params, body }))).toEqual(refused('invalid_code'))
  expect((await auditOf(admin, user.id))[0]).toEqual({
    action: 'user.wrong_code',
    actor_id: admin.id,
    details: { reason: body.reason },
  })
})
