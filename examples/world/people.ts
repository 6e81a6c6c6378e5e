import type { PlazaClient } from '../../contract/client.ts'
import { updateUser } from '../../contract/admin.ts'
import { createCampaign } from '../../contract/admin-campaigns.ts'
import { createApp, requestScopes } from '../../contract/oauth-apps.ts'
import { announcePresence, blockUser, openChannel, requestFriend, sendMessage } from '../../contract/social.ts'

export interface Person {
  id: string
  email: string
  password: string
  api: PlazaClient
}

interface ExamplePeople {
  admin: { api: PlazaClient }
  ada: Person
  /** Registers and signs in a user. */
  person: (username: string) => Promise<Person>
}

/** Adds friends, requests, a block and messages for Ada; pending apps and scope requests; campaigns. Returns Ada's friends. */
export async function addExamplePeople({ admin, ada, person }: ExamplePeople) {
  const bela = await person('Bela')
  const [carl, dora, otto] = [await person('Carl'), await person('Dora'), await person('Otto')]
  await makeFriends(ada, bela, carl, dora)
  await sendMessages([ada, bela, carl])
  await addPendingRequests(otto)
  await addCampaigns(admin.api)
  await admin.api.result(updateUser, { params: { id: bela.id }, body: { tier: 'gold', signup_multiplier: 3 } })
  const eve = await person('Eve')
  await ada.api.result(blockUser, { body: { user_id: eve.id } })
  await admin.api.result(updateUser, { params: { id: eve.id }, body: { suspended: true } })
  await (await person('Bennett')).api.result(requestFriend, { body: { friend_id: ada.id } })
  return { bela, carl, dora }
}

async function makeFriends(ada: Person, bela: Person, carl: Person, dora: Person) {
  for (const friend of [bela, carl, dora]) {
    await ada.api.result(requestFriend, { body: { friend_id: friend.id } })
    await friend.api.result(requestFriend, { body: { friend_id: ada.id } })
  }
  await bela.api.result(announcePresence, { body: { game: 'Chess Corner', lobby: 'slow games' } })
  await carl.api.result(announcePresence, { body: {} })
}

async function sendMessages(people: readonly Person[]) {
  const said = [
    [1, 'Good morning! Has anybody tried the new learning path?'],
    [2, 'I am at the second module. The part about wallets is short and good.'],
    [2, 'And the reward came at once.'],
    [0, 'Then I will begin tonight.\nDoes it matter in which order I take the steps?'],
    [1, 'No, any order does.'],
    [1, 'The damn quiz at the end is hard, though'],
    [0, 'Thank you both. Anyone for a slow game of chess later?'],
    [2, 'Me. Table “north window”, as always.'],
  ] as const
  const { id: channel_id } = await at(people, 0).api.result(openChannel, { body: { type: 'lobby' } })
  for (const [who, body] of said)
    await at(people, who).api.result(sendMessage, { params: { channel_id }, body: { body } })
}

const at = (people: readonly Person[], index: number) => people[index] as Person

/** Two pending apps and a pending scope request. */
async function addPendingRequests({ api }: Person) {
  const register = (app_name: string, app_description: string, host: string) =>
    api.result(createApp, {
      body: {
        app_name,
        app_description,
        redirect_uris: [`https://${host}/callback`, `https://${host}/silent`],
        website_url: `https://${host}`,
        requested_scopes: ['profile:read', 'points:read', 'points:spend'],
        require_pkce: true,
      },
    })
  const { app } = await register(
    'Bike Kitchen',
    'Borrow tools and repair your bicycle. Points pay for parts.',
    'bike.example',
  )
  await register('Seed Library', 'Swap seeds with your neighbours.', 'seeds.example')
  await api.result(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['points:transfer', 'deploy:manage'] },
  })
}

async function addCampaigns(api: PlazaClient) {
  const settings = { surface_type: 'banner', payout_rate: 0.25 } as const
  await api.result(createCampaign, {
    body: { ...settings, name: 'Autumn market', max_impressions: 50_000, ends_at: '2031-10-31T22:00:00.000Z' },
  })
  await api.result(createCampaign, {
    body: {
      ...settings,
      name: 'Learn about wallets',
      surface_type: 'rewarded',
      payout_rate: 2,
      weight: 5,
      active: false,
    },
  })
}
