import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { AppLogo } from '../ui/app-logo.tsx'
import { Address, ExternalLink } from '../ui/external-link.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../ui/format.tsx'
import { Header } from '../ui/header.tsx'
import { icon_names, Icon } from '../ui/icon.tsx'
import { LinkedText } from '../ui/linked-text.tsx'
import { RichText } from '../ui/rich-text.tsx'
import { HeaderSpaces, NavigationSpaces } from '../ui/space-switch.tsx'
import { TierMark } from '../ui/tier-mark.tsx'
import { Part, State, States } from './part.tsx'

const second_ms = 1_000
const day_ms = 86_400_000
const moments = [0, -90 * second_ms, -3 * day_ms, -400 * day_ms, 2 * day_ms]
const from = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString()
const nothing = () => {}

export const Marks = () => (
  <>
    <Part file="icon.tsx">
      <Group gap="md">
        {icon_names.map((name) => (
          <Text key={name} size="xs" c="dimmed" ta="center" w={64}>
            <Icon name={name} size={22} />
            <br />
            {name}
          </Text>
        ))}
      </Group>
    </Part>
    <Part file="tier-mark.tsx">
      <States>
        {['🥉', '🥈', '🥇', '🏆', '💎', '⭐', '👑', 'V'].map((sign) => (
          <TierMark key={sign} sign={sign} size="2em" />
        ))}
      </States>
    </Part>
    <Part file="app-logo.tsx">
      <States>
        <AppLogo app="none" name="Sticker Shop" logo_url={null} />
        <AppLogo app="none" name="Chess" logo_url="https://chess.example/does-not-load.png" size="lg" />
      </States>
    </Part>
    <Part file="format.tsx">
      <States>
        {moments.map((offset_ms) => (
          <RelativeTime key={offset_ms} at={from(offset_ms)} />
        ))}
        <RelativeTime at={null} />
        <span>{formatNumber(1234567)}</span>
        <span>{formatPoints(1)}</span>
        <span>{formatPoints(1234)}</span>
      </States>
    </Part>
    <Part file="external-link.tsx">
      <States>
        <ExternalLink address="https://shop.example/a/long/path?with=query&and=more" />
        <ExternalLink address="https://shop.example">With a text</ExternalLink>
        <ExternalLink address="javascript:alert(1)" />
        <Address>https://shop.example/not/linked</Address>
      </States>
    </Part>
    <Part file="linked-text.tsx">
      <Text>
        <LinkedText>Look at https://shop.example/owls. Not at https://аpple.com, nor https://a@b.example!</LinkedText>
      </Text>
    </Part>
    <Part file="rich-text.tsx">
      <Text>
        <RichText k="ui.failure-note.request" code={<b>9355cb42-17</b>} />
      </Text>
    </Part>
    <Part file="space-switch.tsx">
      <State name="of a person, and of an admin (in wide windows)">
        <HeaderSpaces user={{ is_admin: false }} here="personal" />
        <HeaderSpaces user={{ is_admin: true }} here="admin" />
      </State>
      <State name="in the navigation (in narrow windows)">
        <NavigationSpaces user={{ is_admin: true }} here="build" onSwitch={nothing} />
      </State>
    </Part>
    <Part file="header.tsx">
      <State name="of a visitor">
        <Header>Sign in</Header>
      </State>
      <State name="of a person">
        <PersonsHeader />
      </State>
    </Part>
  </>
)

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
