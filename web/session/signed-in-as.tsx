import { Anchor, Group, Text } from '@mantine/core'
import { RichText } from '../ui/rich-text.tsx'
import { t } from '../texts.ts'
import { useSession } from './session.ts'
import { signOut } from './sign-out.ts'

/** The signed-in person, with a sign-out that stays on the page: for pages without the user menu. */
export const SignedInAs = () => {
  const { session } = useSession()
  return (
    <Group gap={6} mb="md">
      <Text size="sm" c="dimmed">
        <RichText k="sign-in.consent.signed-in-as" bdi={<bdi>{session?.user.username}</bdi>} />
      </Text>
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
        {t('sign-in.consent.not-you')}
      </Anchor>
    </Group>
  )
}
