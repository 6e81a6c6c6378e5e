import { login, register } from '../../contract/accounts.ts'
import { approveApp } from '../../contract/admin-apps.ts'
import { PlazaClient } from '../../contract/client.ts'
import { chooseLearningPath, completeStep, listModules } from '../../contract/learning.ts'
import { createApp } from '../../contract/oauth-apps.ts'
import { setEmailVerified } from '../../server/accounts/store.ts'
import type { MemberRole } from '../../contract/kinds/member-roles.ts'
import { acceptInvitation, createTeam, inviteMember, moveApp } from '../../contract/teams.ts'
import type { Service } from '../../server/processes/start.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'
import { connectApp } from './consent.ts'
import { addExampleDeployments, allowHosting } from './hosting.ts'
import { addGamePayments, addShopPayments, awardAll } from './payments.ts'
import { addExamplePeople, type Person } from './people.ts'

export interface Credentials {
  email: string
  password: string
}

/** A small world for `npm run seed`, screenshots and tests. */
export interface ExampleWorld {
  user: Credentials
  admin: Credentials
  /** The id of `user`. */
  user_id: string
  /** Owns the apps. */
  operator: Credentials
  app: { id: string; client_id: string; redirect_uri: string }
  deployment_id: string
  /** Owns the app, with the operator as its owner. */
  team_id: string
  members: Record<Exclude<MemberRole, 'owner'>, Credentials>
}

export const example_admin: Credentials = { email: 'admin@plaza.example', password: 'the keys to the plaza' }

/** Fills an empty service, through its API where possible. The admin must exist. */
export async function makeExampleWorld(service: Service): Promise<ExampleWorld> {
  const { address, db } = service
  const anonymous = new PlazaClient(address)
  const signedIn = async (credentials: Credentials) => {
    const { token: jwt, user } = await anonymous.result(login, { body: credentials })
    return { id: user.id, api: anonymous.withToken(jwt) }
  }
  const person = async (username: string) => {
    const credentials = { email: `${username.toLowerCase()}@people.example`, password: `the password of ${username}` }
    const { user } = await anonymous.result(register, { body: { ...credentials, username } })
    await setEmailVerified(db, user.id)
    return { ...credentials, ...(await signedIn(credentials)) }
  }
  const admin = await signedIn(example_admin)
  const [ada, olga] = [await person('Ada'), await person('Olga')]

  const newApp = async (app_name: string, app_description: string, host: string, more_scopes: Scope[] = []) => {
    const redirect_uri = `https://${host}/callback`
    const { app } = await olga.api.result(createApp, {
      body: {
        app_name,
        app_description,
        redirect_uris: [redirect_uri],
        website_url: `https://${host}`,
        requested_scopes: ['profile:read', 'points:read', 'points:spend', 'app:balance:read', ...more_scopes],
      },
    })
    await admin.api.result(approveApp, { params: { id: app.id }, body: { listed: true } })
    return { ...app, redirect_uri }
  }
  const shop = await newApp('Sticker Shop', 'Stickers for laptops and lunch boxes, paid in points.', 'stickers.example')
  const game = await newApp('Chess Corner', 'Play slow chess with friends. Points buy new boards.', 'chess.example', [
    'points:transfer',
  ])

  await awardAll(admin.api, ada.id, [
    [500, 'Welcome'],
    [120, 'Found a bug in the reference'],
  ])
  await addShopPayments(ada, shop)
  await learn(ada.api)
  await allowHosting(olga.api, admin.api, shop.id)
  const deployment_id = await addExampleDeployments(service, await connectApp(olga.api, shop, 'deploy:manage'))
  const { bela, carl, dora } = await addExamplePeople({ admin, ada, person })
  await awardAll(admin.api, bela.id, [[300, 'Welcome']])
  await addGamePayments(ada, bela, game)
  const members = { admin: bela, developer: carl, viewer: dora }
  const team_id = await addTeam(olga, members, ada)
  await olga.api.result(moveApp, { params: { id: shop.id }, body: { team_id } })
  return {
    user: { email: ada.email, password: ada.password },
    admin: example_admin,
    user_id: ada.id,
    operator: { email: olga.email, password: olga.password },
    deployment_id,
    team_id,
    members,
    app: { id: shop.id, client_id: shop.client_id, redirect_uri: shop.redirect_uri },
  }
}

/** A team with a member of each role, and a pending invitation. */
async function addTeam(owner: Person, members: Record<Exclude<MemberRole, 'owner'>, Person>, invited: Person) {
  const { team } = await owner.api.result(createTeam, { body: { name: 'Night shift' } })
  const invite = async (role: MemberRole, { email }: Person) =>
    (await owner.api.result(inviteMember, { params: { id: team.id }, body: { email, role } })).invitation.id
  for (const role of ['admin', 'developer', 'viewer'] as const) {
    const code = await invite(role, members[role])
    await members[role].api.result(acceptInvitation, { params: { code } })
  }
  await invite('developer', invited)
  return team.id
}

/** Completes the first module of the beginners' path. */
async function learn(person: PlazaClient) {
  await person.result(chooseLearningPath, { body: { path: 'bitcoin-basics' } })
  const [first] = (await person.result(listModules)).modules
  for (const { step_id } of first?.steps ?? []) await person.result(completeStep, { params: { step_id } })
}
