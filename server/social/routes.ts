import * as contract from '../../contract/social.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import { block, listBlocks, unblock } from './blocks.service.ts'
import { answerRequest, listFriends, listPending, removeFriendship, requestFriend } from './friends.service.ts'
import { announcePresence, leavePresence, listPresence, listTable } from './presence.service.ts'
import { searchUsers } from './search.service.ts'
import type { SocialDeps } from './service.ts'

export function socialRoutes(http: Http, deps: SocialDeps) {
  friendRoutes(http, deps)
  blockRoutes(http, deps)
  presenceRoutes(http, deps)

  mount(http, contract.searchUsers, async ({ caller, query }) => ({
    users: await searchUsers(deps, caller.user_id, query.q),
  }))
}

function friendRoutes(http: Http, deps: SocialDeps) {
  mount(http, contract.listFriends, ({ caller }) => listFriends(deps, caller.user_id))
  mount(http, contract.listPendingFriends, ({ caller }) => listPending(deps, caller.user_id))

  mount(http, contract.requestFriend, async ({ caller, body }) => {
    const { friendship, created } = await requestFriend(deps, caller.user_id, body.friend_id)
    const { id: friendship_id, status } = friendship
    return answer({ friendship_id, status }, { status: created ? 201 : 200 })
  })

  mount(http, contract.answerFriend, async ({ caller, params, body }) => ({
    status: await answerRequest(deps, caller.user_id, params.id, body.action),
  }))

  mount(http, contract.removeFriend, async ({ caller, params }) => {
    await removeFriendship(deps, caller.user_id, params.id)
    return { status: 'removed' as const }
  })
}

function blockRoutes(http: Http, deps: SocialDeps) {
  mount(http, contract.blockUser, async ({ caller, body }) => {
    await block(deps, caller.user_id, body.user_id)
    return { status: 'blocked' as const }
  })

  mount(http, contract.unblockUser, async ({ caller, params }) => {
    await unblock(deps, caller.user_id, params.user_id)
    return { status: 'unblocked' as const }
  })

  mount(http, contract.listBlocks, ({ caller, query }) => listBlocks(deps, caller.user_id, query))
}

function presenceRoutes(http: Http, deps: SocialDeps) {
  mount(http, contract.listPresence, async ({ caller, query }) => ({
    presence: await listPresence(deps, caller.user_id, query.user_ids),
  }))

  mount(http, contract.announcePresence, async ({ caller, body }) => {
    await announcePresence(deps, caller.user_id, body)
    return { status: 'ok' as const }
  })

  mount(http, contract.leavePresence, async ({ caller }) => {
    await leavePresence(deps, caller.user_id)
    return { status: 'ok' as const }
  })

  mount(http, contract.listTablePresence, async ({ caller, query }) => ({
    users: await listTable(deps, caller.user_id, query),
  }))
}
