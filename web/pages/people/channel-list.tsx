import { ActionIcon, Badge, Button, CloseButton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { openChannel } from '../../../contract/social.ts'
import { messageValidatorsOf } from '../../forms/validation.ts'
import { useSingleField } from '../../forms/single-field.ts'
import { Modal } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PersonAvatar } from '../../ui/person.tsx'
import { tables_max, type Channel } from './channels.ts'
import { placeKey } from './place.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'

interface ChannelListProps {
  channels: readonly Channel[]
  direct: readonly Channel[]
  current: Channel
  unread: Record<string, number | undefined>
  onOpen: (channel: Pick<Channel, 'kind' | 'ref'>) => void
  onClose: (table: string) => void
}

export function ChannelList({ channels, direct, current, unread, onOpen, onClose }: ChannelListProps) {
  const [form_opened, setFormOpened] = useState(false)
  const full = channels.length > tables_max
  return (
    <nav className={classes.side} aria-label={t('people.channel-list.channels')}>
      <div className={classes.channels}>
        {channels.map((channel) => (
          <Entry
            key={channel.ref ?? ''}
            channel={channel}
            current={channel === current}
            unread={(channel.place && unread[placeKey(channel.place)]) ?? 0}
            onOpen={() => onOpen(channel)}
            {...(channel.ref !== undefined && { onClose: () => onClose(channel.ref as string) })}
          />
        ))}
        {direct.length > 0 && (
          <Text size="xs" fw={600} c="dimmed" visibleFrom="sm" className={classes.group}>
            {t('people.channel-list.direct-messages')}
          </Text>
        )}
        {direct.map((channel) => (
          <Entry
            key={channel.ref}
            channel={channel}
            current={channel === current}
            unread={channel === current ? 0 : (channel.unread ?? 0)}
            onOpen={() => onOpen(channel)}
          />
        ))}
      </div>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        disabled={full}
        onClick={() => setFormOpened(true)}
      >
        {t('people.channel-list.go-to-a-table')}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="default"
        size={34}
        disabled={full}
        aria-label={t('people.channel-list.go-to-a-table')}
        onClick={() => setFormOpened(true)}
      >
        <Icon name="plus" size={16} />
      </ActionIcon>
      {full && (
        <Text size="xs" c="dimmed">
          {t('people.channel-list.tables-are-open-close-one-to', { tables_max })}
        </Text>
      )}
      <Modal opened={form_opened} onClose={() => setFormOpened(false)} title={t('people.channel-list.go-to-a-table')}>
        <TableForm
          onOpen={(name) => {
            setFormOpened(false)
            onOpen({ kind: 'table', ref: name })
          }}
        />
      </Modal>
    </nav>
  )
}

interface EntryProps {
  channel: Channel
  current: boolean
  unread: number
  onOpen: () => void
  onClose?: () => void
}

const Entry = ({ channel: { kind, name, look }, current, unread, onOpen, onClose }: EntryProps) => (
  <div className={classes.channel} data-current={current || undefined}>
    <UnstyledButton className={classes.open} onClick={onOpen} aria-current={current ? 'page' : undefined}>
      {kind === 'direct' ? (
        <PersonAvatar person={look ?? { username: name }} size={20} />
      ) : (
        <Icon name={kind === 'lobby' ? 'home' : 'chat'} size={16} />
      )}
      <Text span inherit truncate fw={current || unread > 0 ? 600 : 400} className="user-content">
        {name}
      </Text>
      {unread > 0 && (
        <Badge size="sm" variant="filled" aria-label={t('people.channel-list.new', { unread })}>
          {unread > 99 ? '99+' : unread}
        </Badge>
      )}
    </UnstyledButton>
    {onClose && (
      <CloseButton size="md" mr={4} aria-label={t('people.channel-list.close-table', { name })} onClick={onClose} />
    )}
  </div>
)

const check = messageValidatorsOf(openChannel.body).ref_id

/** Opens the channel of a table by name; the API creates a missing one. */
function TableForm({ onOpen }: { onOpen: (name: string) => void }) {
  const { form, field } = useSingleField({ validate: (name) => check?.(name), onSubmit: onOpen })
  return (
    <form {...form}>
      <Stack>
        <TextInput
          label={t('people.channel-list.name-of-the-table')}
          description={t('people.channel-list.the-name-that-the-game-uses')}
          {...field}
          data-autofocus
        />
        <Button type="submit">{t('people.channel-list.go-to-the-table')}</Button>
      </Stack>
    </form>
  )
}
