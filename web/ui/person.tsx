import { Avatar, Text } from '@mantine/core'

export interface Look {
  username: string
  display_name?: string | null
  picture_url?: string | null
}

/** A hue of the colour wheel, always the same for a name. */
const hueOf = (name: string) => [...name].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) % 360, 7)

interface AvatarProps {
  person: Look
  size: number
  className?: string | undefined
}

/** The picture of a person; without one, coloured initials. The name is next to it. */
export function PersonAvatar({ person: { username, display_name, picture_url }, size, className }: AvatarProps) {
  const hue = hueOf(username)
  return (
    <Avatar
      src={picture_url}
      name={display_name ?? username}
      size={size}
      radius="xl"
      aria-hidden
      className={className}
      imageProps={{ loading: 'lazy', decoding: 'async', draggable: false }}
      style={{ '--avatar-bg': `oklch(0.9 0.06 ${hue})`, '--avatar-color': `oklch(0.4 0.1 ${hue})` }}
    />
  )
}

/** The name of a person; a display name is followed by the username, which is unique. */
export const PersonName = ({ person: { username, display_name } }: { person: Look }) => (
  <Text fw={600} size="sm" truncate className="user-content">
    {display_name ?? username}
    {display_name && (
      <Text span size="xs" c="dimmed" fw={400}>
        {` @${username}`}
      </Text>
    )}
  </Text>
)
