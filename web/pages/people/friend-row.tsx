import { ActionIcon, Button, Group } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { queryKeyOf } from '../../api/hooks.ts'
import { people_lists, type Presence } from '../../api/live-queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { notify } from '../../ui/notify.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { BlockDialog } from './person-actions.tsx'
import { PersonRow } from './person-row.tsx'
import { PointsDialog } from './points-dialog.ts'
import { ReportDialog } from './report-button.tsx'
import { endFriendship, type Person } from './friend-relations.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export interface Friend extends Person {
  email: string
}

interface FriendRowProps {
  friend: Friend
  /** `never`: never online. Undefined until known. */
  presence: Presence | 'never' | undefined
  position: { at: number; of: number }
}

export function FriendRow({ friend, presence, position }: FriendRowProps) {
  const [dialog, setDialog] = useState<'send' | 'ask' | 'end' | 'block' | 'report'>()
  const close = () => setDialog(undefined)
  const online = typeof presence === 'object' && presence.status === 'online'
  return (
    <>
      <PersonRow
        person={friend}
        online={online}
        position={position}
        about={
          <>
            {presence && <PresenceText presence={presence} />}
            <span className="user-content">{friend.email}</span>
          </>
        }
        actions={
          <Group gap={4} wrap="nowrap">
            <LinkButton
              to="/chat"
              search={{ with: friend.id }}
              size="xs"
              variant="default"
              aria-label={t('people.friend-row.message-to', { username: friend.username })}
            >
              {t('people.friend-row.message')}
            </LinkButton>
            <Button
              size="xs"
              variant="default"
              aria-label={t('people.send-form.send-points-to', { name: friend.username })}
              aria-haspopup="dialog"
              onClick={() => setDialog('send')}
            >
              {t('people.send-form.send-points')}
            </Button>
            <ActionMenu
              button={
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={t('people.friend-row.more-about', { username: friend.username })}
                >
                  <Icon name="dots" />
                </ActionIcon>
              }
            >
              <MenuItem icon="tag" onClick={() => setDialog('ask')}>
                {t('people.friend-row.ask-for-points')}
              </MenuItem>
              <MenuItem icon="cross" onClick={() => setDialog('end')}>
                {t('people.friend-row.end-the-friendship')}
              </MenuItem>
              <MenuItem icon="flag" onClick={() => setDialog('report')}>
                {t('people.friend-row.report', { username: friend.username })}
              </MenuItem>
              <MenuItem icon="ban" onClick={() => setDialog('block')}>
                {t('common.block', { username: friend.username })}
              </MenuItem>
            </ActionMenu>
          </Group>
        }
      />
      {(dialog === 'send' || dialog === 'ask') && <PointsDialog opened kind={dialog} person={friend} onClose={close} />}
      {dialog === 'end' && <EndDialog friend={friend} onClose={close} />}
      {dialog === 'block' && <BlockDialog person={friend} onClose={close} />}
      {dialog === 'report' && <ReportDialog about={{ user_id: friend.id }} {...friend} onClose={close} />}
    </>
  )
}

const PresenceText = ({ presence }: { presence: Presence | 'never' }) => (
  <>
    {presence !== 'never' && presence.status === 'online' ? (
      <Online presence={presence} />
    ) : (
      <Offline presence={presence} />
    )}{' '}
    ·{' '}
  </>
)

const Online = ({ presence: { current_game, lobby } }: { presence: Presence }) => {
  const places = [current_game, lobby].filter(Boolean)
  return (
    <>
      <RichText
        k="people.friend-row.online"
        somewhere={places.length > 0}
        places={places.map((place, at) => (
          <Fragment key={at}>
            {at > 0 && ': '}
            <bdi>{place}</bdi>
          </Fragment>
        ))}
      />
    </>
  )
}

const Offline = ({ presence }: { presence: Presence | 'never' }) =>
  presence === 'never' ? (
    t('people.friend-row.offline')
  ) : (
    <RichText k="people.friend-row.last-seen" time={<RelativeTime at={presence.last_seen} />} />
  )

function EndDialog({ friend, onClose }: { friend: Friend; onClose: () => void }) {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: () => endFriendship(friend),
    onSuccess: (ended) => {
      for (const list of people_lists) void client.invalidateQueries({ queryKey: queryKeyOf(list) })
      notify(
        ended
          ? t('people.friend-row.and-you-are-no-longer-friends', { username: friend.username })
          : t('people.friend-row.had-already-ended-the-friendship', { username: friend.username }),
      )
      onClose()
    },
  })
  return (
    <Confirm
      opened
      title={t('people.friend-row.end-the-friendship-with', { username: friend.username })}
      action={t('people.friend-row.end-friendship')}
      busy={end.isPending}
      error={end.error}
      onClose={onClose}
      onConfirm={() => end.mutate()}
    >
      {t('people.friend-row.you-no-longer-see-each-others')}
    </Confirm>
  )
}
