import { blockUser } from '../../../contract/social.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { notify } from '../../ui/notify.tsx'
import { people_lists, useRequestFriend, useSentRequests, useFriendRelations, type Person } from './friend-relations.ts'

/** A menu item that sends or accepts a friend request. */
export function RequestFriendItem({ person }: { person: Person }) {
  const ask = useRequestFriend(person)
  const relation = useFriendRelations()(person.id)
  const sendRequest = () =>
    ask.mutate(
      { body: { friend_id: person.id } },
      {
        onError: (error) =>
          notify(isApiError(error, 'blocked') ? `You have blocked ${person.username}.` : error.message),
      },
    )
  const labels = {
    none: `Ask ${person.username} to be a friend`,
    request_received: `Accept ${person.username} as a friend`,
    request_sent: `${person.username} is asked`,
    friend: `${person.username} is a friend`,
  }
  return (
    <MenuItem
      icon="users"
      disabled={relation.kind === 'friend' || relation.kind === 'request_sent'}
      onClick={sendRequest}
    >
      {labels[relation.kind]}
    </MenuItem>
  )
}

/** Blocks a user after a confirmation. */
export function BlockDialog({
  person,
  onClose,
  onBlocked,
}: {
  person: Person
  onClose: () => void
  onBlocked?: () => void
}) {
  const { remove } = useSentRequests()
  const block = useApiMutation(blockUser, {
    invalidates: people_lists,
    onDone: () => {
      remove(person.id)
      notify(`${person.username} is blocked.`)
      onBlocked?.()
      onClose()
    },
  })
  return (
    <Confirm
      opened
      title={`Block ${person.username}?`}
      action="Block"
      busy={block.isPending}
      error={block.error}
      onClose={onClose}
      onConfirm={() => block.mutate({ body: { user_id: person.id } })}
    >
      A friendship or a request between you ends. You no longer see what {person.username} writes, and neither of you
      finds the other. {person.username} is not told of the block. You can undo it under Friends.
    </Confirm>
  )
}
