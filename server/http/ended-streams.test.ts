import { expect, test } from 'vitest'
import { logout } from '../../contract/accounts.ts'
import { setAdminRoles, updateUser } from '../../contract/admin.ts'
import { createSecret, deleteSecret, listSecrets, updateMyApp } from '../../contract/oauth-apps.ts'
import { disconnectApp } from '../../contract/oauth.ts'
import { readPointEvents } from '../../contract/payments.ts'
import { startTestService } from '../test/harness.ts'
import { someContainerHost, someDeploymentOf, someHostingApp } from '../test/hosting-world.ts'
import { addOutput } from '../test/output.ts'
import { hosting_settings } from '../test/settings.ts'
import { eventReaders, sendText, someChannel } from '../test/social-world.ts'
import { basicOf, givePoints, someUser, theAdmin, world } from '../test/world.ts'

const plaza = await startTestService(hosting_settings)
/** The process in which credentials end. */
const other = await plaza.startAnother()
const admin = await theAdmin(other)
const read = eventReaders()
await someContainerHost(plaza)

const update = (id: string, body: { suspended?: boolean; is_admin?: boolean }) =>
  admin.api.result(updateUser, { params: { id }, body })

interface Ending {
  /** Opens the stream, and resolves after its first event. */
  open(): ReturnType<typeof read>
  /** Ends the credential in the other process. */
  end(): Promise<unknown>
  /** Causes an event that the stream would send. */
  happen(): Promise<unknown>
  /** The events of the stream. */
  expected: string[]
}

async function someEvents(): Promise<Ending> {
  const [user, writer] = [await someUser(other), await someUser(other)]
  const channel = await someChannel(user)
  return {
    open: async () => {
      const reader = await read(plaza, user, { channels: [channel] })
      await sendText(writer, channel, 'before')
      await reader.received(1)
      return reader
    },
    end: () => user.api.result(logout),
    happen: () => sendText(writer, channel, 'after'),
    expected: ['message', 'session_ended'],
  }
}

async function somePoints(): Promise<Ending> {
  const { user, app, tokens } = await world(other, { points: 10, scopes: ['points:read'] })
  return {
    open: async () => {
      const reader = await read(plaza, { token: tokens.access_token }, { path: readPointEvents.path })
      await reader.received(1)
      return reader
    },
    end: () => user.api.result(disconnectApp, { params: { app_id: app.id } }),
    happen: () => givePoints(plaza, user, 5),
    expected: ['balance', 'connection_ended'],
  }
}

/** The output of a deployment. `prepare` creates the credential with which its stream is opened. */
async function someOutput(
  prepare: (
    app: Awaited<ReturnType<typeof someHostingApp>>,
  ) => Promise<{ authorization: string; end(): Promise<unknown>; is_admin?: boolean }>,
): Promise<Ending> {
  const app = await someHostingApp(plaza)
  const id = await someDeploymentOf(plaza, app)
  const { authorization, end, is_admin = false } = await prepare(app)
  const write = (text: string) => addOutput(plaza.db, id, [{ at: plaza.clock.now().getTime(), text }])
  await write('before')
  return {
    open: async () => {
      const path = is_admin ? `/api/admin/deployments/${id}/output/stream` : `/api/deploy/apps/${id}/output/stream`
      const reader = await read(plaza, { token: '' }, { path, authorization })
      await reader.received(1)
      return reader
    },
    end,
    happen: () => write('after'),
    expected: ['line', 'ended'],
  }
}

const endings: Record<string, () => Promise<Ending>> = {
  'events of a session that was signed out': someEvents,
  'points of an app that was disconnected': somePoints,
  'output with a token that has lost deploy:manage': () =>
    someOutput(async ({ id, owner, tokens }) => ({
      authorization: `Bearer ${tokens.access_token}`,
      end: () => owner.api.result(updateMyApp, { params: { id }, body: { allowed_scopes: ['profile:read'] } }),
    })),
  'output with a secret that was deleted': () =>
    someOutput(async (app) => {
      const { api } = app.owner
      await api.result(createSecret, { params: { id: app.id } })
      const { secrets } = await api.result(listSecrets, { params: { id: app.id } })
      const params = { id: app.id, secret_id: secrets.at(-1)?.id ?? '' }
      return { authorization: basicOf(app), end: () => api.result(deleteSecret, { params }) }
    }),
  'output for an admin who got another role (D-135)': () =>
    someOutput(async () => {
      const user = await someUser(other)
      await update(user.id, { is_admin: true })
      const body = { roles: ['support' as const], reason: 'other duties' }
      const end = () => admin.api.result(setAdminRoles, { params: { id: user.id }, body })
      return { authorization: `Bearer ${user.token}`, end, is_admin: true }
    }),
}

test.each(Object.entries(endings))(
  'D-120: a stream sends nothing after its credential has ended in another process: %s',
  async (_, make) => {
    const { open, end, happen, expected } = await make()
    const reader = await open()
    await end()
    await happen()
    await reader.ended
    expect(reader.events.map(({ event }) => event)).toEqual(expected)
  },
)
