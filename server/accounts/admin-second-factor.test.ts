import { expect, test } from 'vitest'
import { disableTotp, me } from '../../contract/accounts.ts'
import { countPending, updateUser } from '../../contract/admin.ts'
import { adminListApps } from '../../contract/admin-apps.ts'
import { digestTables } from '../test/table-digests.ts'
import { startTestService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { enableTwoFactor } from '../test/two-factor.ts'
import { someUser, theAdmin } from '../test/world.ts'

test('D-129: with ADMIN_SECOND_FACTOR=required an admin without one does nothing as an admin, and sets one up', async () => {
  const plaza = await startTestService({ ADMIN_SECOND_FACTOR: 'required' })
  const [admin, user] = [await theAdmin(plaza), await someUser(plaza)]
  const refusal = refused('second_factor_required')
  const before = await digestTables(plaza)
  const suspend = () => admin.api.call(updateUser, { params: { id: user.id }, body: { suspended: true } })
  expect(outcome(await admin.api.call(adminListApps))).toEqual(refusal)
  expect(outcome(await suspend())).toEqual(refusal)
  expect(await digestTables(plaza)).toEqual(before)
  expect(outcome(await user.api.call(countPending))).toEqual(refused('admin_only'))
  expect((await admin.api.call(me)).status).toBe(200)
  const { recovery_codes } = await enableTwoFactor(plaza, admin)
  expect((await suspend()).status).toBe(200)
  const body = { password: admin.password, totp_code: recovery_codes[0] ?? '' }
  await admin.api.result(disableTotp, { body })
  expect(outcome(await admin.api.call(countPending))).toEqual(refusal)
})
