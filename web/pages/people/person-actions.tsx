import { blockUser } from '../../../contract/social.ts'
import { isApiError } from '../../api/errors.ts'
import { people_lists } from '../../api/live-queries.ts'
import { ConfirmCall } from '../../ui/confirm-call.tsx'
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

interface BlockDialogProps {
  person: Person
  onClose: () => void
  onBlocked?: () => void
}

export function BlockDialog({ person: { id, username }, onClose, onBlocked }: BlockDialogProps) {
  const { remove } = useSentRequests()
  return (
    <ConfirmCall
      endpoint={blockUser}
      input={{ body: { user_id: id } }}
      invalidates={people_lists}
      done={() => t('people.person-actions.is-blocked', { username })}
      onDone={() => {
        remove(id)
        onBlocked?.()
      }}
      onClose={onClose}
      title={t('people.person-actions.block', { username })}
      action={t('common.block-2')}
    >
      {t('people.person-actions.a-friendship-or-a-request-between', { username })}
    </ConfirmCall>
  )
}
