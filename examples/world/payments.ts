import { awardPoints } from '../../contract/admin.ts'
import { recordAdEvent, serveAd } from '../../contract/ads.ts'
import type { PlazaClient } from '../../contract/client.ts'
import { captureHold, createHold, createPayout, createRefund, voidHold } from '../../contract/payments.ts'
import { spendPoints, transferPoints } from '../../contract/points.ts'
import { connectApp, type ExampleApp } from './consent.ts'
import type { Person } from './people.ts'

/** Gives a person points, each amount with a reason. */
export async function awardAll(admin: PlazaClient, user_id: string, awards: readonly [amount: number, why: string][]) {
  for (const [amount, description] of awards)
    await admin.result(awardPoints, { body: { user_id, amount, description } })
}

/** Ada spends in the shop, one spend is refunded, and orders are held, captured and voided. */
export async function addShopPayments(ada: Person, shop: ExampleApp) {
  const buying = await connectApp(ada.api, shop, 'profile:read points:spend')
  const selling = ada.api.withClient(shop)
  for (const [amount, description, reference] of [
    [30, 'Sticker: an owl', 'order-1001'],
    [45, 'Sticker: a whale', 'order-1002'],
    [30, 'Sticker: a fox', 'order-1003'],
  ] as const)
    await buying.result(spendPoints, { body: { amount, description, reference } })
  const torn = await buying.result(spendPoints, {
    body: { amount: 60, description: 'A sheet of twelve stickers', reference: 'order-1004' },
  })
  await selling.result(createRefund, {
    body: { transfer_id: torn.transfer_id, amount: 20, reason: 'Four of the twelve were torn' },
  })
  const week_seconds = 7 * 86_400
  const order = (amount: number, reference: string) =>
    buying.result(createHold, { body: { amount, reference, expires_in: week_seconds } })
  const [taken, freed] = [await order(50, 'order-1005'), await order(35, 'order-1006')]
  await selling.result(captureHold, {
    params: { id: taken.hold.id },
    body: { amount: 42, description: 'A poster, printed on demand' },
  })
  await selling.result(voidHold, { params: { id: freed.hold.id } })
  await order(25, 'order-1007')
  const prize = { amount: 15, description: 'Second place: the best sticker of May', reference: 'contest-5' }
  await selling.result(createPayout, { body: { ...prize, to_user_id: ada.id } })
}

/** Bela plays, both send each other points, and Ada sees ads. */
export async function addGamePayments(ada: Person, bela: Person, game: ExampleApp) {
  const scope = 'profile:read points:spend points:transfer'
  const [of_ada, of_bela] = [await connectApp(ada.api, game, scope), await connectApp(bela.api, game, scope)]
  await of_bela.result(spendPoints, { body: { amount: 80, description: 'A board of maple', reference: 'board-7' } })
  await of_ada.result(transferPoints, {
    body: { amount: 25, to_user_id: bela.id, description: 'I lost, as agreed' },
  })
  await of_bela.result(transferPoints, {
    body: { amount: 10, to_user_id: ada.id, description: 'Thank you for the second game' },
  })
  const { campaign } = await of_ada.result(serveAd, { query: { surface_type: 'banner' } })
  for (const event_type of ['impression', 'impression', 'click'] as const)
    await of_ada.result(recordAdEvent, { body: { campaign_id: campaign.id, event_type, surface_type: 'banner' } })
}
