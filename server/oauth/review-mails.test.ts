import { expect, test } from 'vitest'
import { approveApp, approveScopeRequest, denyScopeRequest, rejectApp } from '../../contract/admin-apps.ts'
import { requestScopes } from '../../contract/oauth-apps.ts'
import { sharedService } from '../test/harness.ts'
import { someApp, theAdmin } from '../test/world.ts'

const plaza = await sharedService()
const admin = await theAdmin(plaza)

/** The subject and text of a mail. */
const read = (mail: string) => ({
  subject: /^Subject: (.*)$/m.exec(mail)?.[1],
  text: mail.slice(mail.indexOf('\r\n\r\n')).replaceAll('\r\n', '\n').trim(),
})

test('the owner is mailed the decision about an app, with the reason, and once for each change', async () => {
  const app = await someApp(plaza, { approved: false })
  const { email, username } = app.owner
  const params = { id: app.id }
  await admin.api.result(rejectApp, { params, body: { reason: 'There is no privacy policy.' } })
  const first = read(await plaza.mailTo(email))
  expect(first.subject).toMatch(/ is not approved$/)
  expect(first.text).toContain(`Hello ${username},`)
  expect(first.text).toContain('The reason:\n\nThere is no privacy policy.\n')
  expect(first.text).toContain(`${plaza.url}/apps/${app.id}`)
  await admin.api.result(approveApp, { params, body: {} })
  const second = read(await plaza.mailTo(email, 1))
  expect(second.subject).toMatch(/ is approved$/)
  expect(second.text).not.toContain('reason')
  // Listing an already approved app sends nothing; the next mail is about the next change.
  await admin.api.result(approveApp, { params, body: { listed: true } })
  await admin.api.result(rejectApp, { params, body: { reason: 'It sends spam.' } })
  expect(read(await plaza.mailTo(email, 2)).text).toContain('It sends spam.')
})

test('D-32: the owner is mailed the decision about a scope request, with the reason', async () => {
  const app = await someApp(plaza)
  const ask = (scope: string) =>
    app.owner.api.result(requestScopes, { params: { id: app.id }, body: { requested_scopes: [scope] } })
  const denied = await ask('points:spend')
  await admin.api.result(denyScopeRequest, { params: { id: denied.id }, body: { reason: 'Say what for.' } })
  const first = read(await plaza.mailTo(app.owner.email))
  expect(first.subject).toMatch(/ are not granted$/)
  expect(first.text).toContain('not granted: points:spend.')
  expect(first.text).toContain('Say what for.')
  const granted = await ask('points:read')
  await admin.api.result(approveScopeRequest, { params: { id: granted.id } })
  expect(read(await plaza.mailTo(app.owner.email, 1)).text).toContain('granted: points:read.')
})
