import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { AppLogo } from '../ui/app-logo.tsx'
import { Address, ExternalLink } from '../ui/external-link.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../ui/format.tsx'
import { Header } from '../ui/header.tsx'
import { icon_names, Icon } from '../ui/icon.tsx'
import { LinkedText } from '../ui/linked-text.tsx'
import { PersonAvatar, PersonName } from '../ui/person.tsx'
import { PictureChoice } from '../ui/picture-choice.tsx'
import { RichText } from '../ui/rich-text.tsx'
import { HeaderSpaces, NavigationSpaces } from '../ui/space-switch.tsx'
import { Tile } from '../ui/tile.tsx'
import { TierMark } from '../ui/tier-mark.tsx'
import { column, nothing, row, type Parts } from './part.tsx'

const second_ms = 1_000
const day_ms = 86_400_000
const moments = [0, -90 * second_ms, -3 * day_ms, -400 * day_ms, 2 * day_ms]
const from = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString()
const signs = ['🥉', '🥈', '🥇', '🏆', '💎', '⭐', '👑', 'V']

export const marks: Parts = {
  'icon.tsx': (
    <Group gap="md">
      {icon_names.map((name) => (
        <Text key={name} size="xs" c="dimmed" ta="center" w={64}>
          <Icon name={name} size={22} />
          <br />
          {name}
        </Text>
      ))}
    </Group>
  ),
  'picture-choice.tsx': (
    <PictureChoice
      fit="cover"
      has_picture
      save={() => Promise.resolve()}
      remove={() => Promise.resolve()}
      about="PNG, JPEG or WebP."
    >
      {() => <PersonAvatar person={{ username: 'ann' }} size={88} />}
    </PictureChoice>
  ),
  'tier-mark.tsx': row(...signs.map((sign) => <TierMark key={sign} sign={sign} size="2em" />)),
  'app-logo.tsx': row(
    <AppLogo app="none" name="Sticker Shop" logo_url={null} />,
    <AppLogo app="none" name="Chess" logo_url="https://chess.example/does-not-load.png" size="lg" />,
  ),
  'person.tsx': row(
    <PersonAvatar person={{ username: 'ann' }} size={32} />,
    <PersonName person={{ username: 'ann', display_name: 'Ann Miller' }} />,
    <PersonName person={{ username: 'ben' }} />,
  ),
  'tile.tsx': row(<Tile to="/points" label="Balance" value={formatNumber(1234)} about="75 more than a month ago" />),
  'format.tsx': row(
    ...moments.map((offset_ms) => <RelativeTime key={offset_ms} at={from(offset_ms)} />),
    <RelativeTime at={null} />,
    <span>{formatNumber(1234567)}</span>,
    <span>{formatPoints(1)}</span>,
    <span>{formatPoints(1234)}</span>,
  ),
  'external-link.tsx': row(
    <ExternalLink address="https://shop.example/a/long/path?with=query&and=more" />,
    <ExternalLink address="https://shop.example">With a text</ExternalLink>,
    <ExternalLink address="javascript:alert(1)" />,
    <Address>https://shop.example/not/linked</Address>,
  ),
  'linked-text.tsx': (
    <LinkedText>Look at https://shop.example/owls. Not at https://аpple.com, nor https://a@b.example!</LinkedText>
  ),
  'rich-text.tsx': <RichText k="ui.failure-note.request" code={<b>9355cb42-17</b>} />,
  'space-switch.tsx': {
    'of a person, and of an admin (in wide windows)': column(
      <HeaderSpaces user={{ is_admin: false }} here="personal" />,
      <HeaderSpaces user={{ is_admin: true }} here="admin" />,
    ),
    'in the navigation (in narrow windows)': (
      <NavigationSpaces user={{ is_admin: true }} here="build" onSwitch={nothing} />
    ),
  },
  'header.tsx': { 'of a visitor': <Header>Sign in</Header>, 'of a person': <PersonsHeader /> },
}

function PersonsHeader() {
  const [opened, setOpened] = useState(false)
  return (
    <Header
      onSearch={nothing}
      burger={{ opened, toggle: () => setOpened(!opened), controls: 'content' }}
      spaces={<HeaderSpaces user={{ is_admin: true }} here="build" />}
    >
      Ada
    </Header>
  )
}
