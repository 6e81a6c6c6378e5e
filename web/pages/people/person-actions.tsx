import { blockUser } from '../../../contract/social.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { people_lists } from '../../api/live-queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { notify } from '../../ui/notify.tsx'
import { useRequestFriend, useSentRequests, useFriendRelations, type Person } from './friend-relations.ts'
import { t } from '../../texts.ts'

/** A menu item that sends or accepts a friend request. */
export function RequestFriendItem({ person }: { person: Person }) {
  const ask = useRequestFriend(person)
  const relation = useFriendRelations()(person.id)
  const sendRequest = () =>
    ask.mutate(
      { body: { friend_id: person.id } },
      {
        onError: (error) =>
          notify(
            isApiError(error, 'blocked')
              ? t('people.person-actions.you-have-blocked', { username: person.username })
              : error.message,
          ),
      },
    )
  const labels = {
    none: t('people.person-actions.ask-to-be-a-friend', { username: person.username }),
    request_received: t('people.person-actions.accept-as-a-friend', { username: person.username }),
    request_sent: t('people.person-actions.is-asked', { username: person.username }),
    friend: t('people.person-actions.is-a-friend', { username: person.username }),
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
      notify(t('people.person-actions.is-blocked', { username: person.username }))
      onBlocked?.()
      onClose()
    },
  })
  return (
    <Confirm
      opened
      title={t('people.person-actions.block', { username: person.username })}
      action={t('common.block-2')}
      busy={block.isPending}
      error={block.error}
      onClose={onClose}
      onConfirm={() => block.mutate({ body: { user_id: person.id } })}
    >
      {t('people.person-actions.a-friendship-or-a-request-between', { username: person.username })}
    </Confirm>
  )
}
