import { PageHead, Section } from '../../ui/page-parts.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PersonSearch } from './person-search.tsx'
import { useFriendEvents } from './friend-relations.ts'
import { StreamContext, useEvents } from './use-events.ts'
import { usePresenceHeartbeat } from './use-presence.ts'

export default function People() {
  const stream = useEvents([], useFriendEvents())
  usePresenceHeartbeat()
  return (
    <StreamContext value={stream}>
      <PageHead
        title="Find people"
        about="Ask somebody to be your friend. Once they accept, you see each other’s e-mail address, whether the other is online and in which game or lobby, and when they last were."
        actions={
          <LinkButton to="/friends" variant="default" size="sm">
            Your friends
          </LinkButton>
        }
      />
      <Section>
        <PersonSearch />
      </Section>
    </StreamContext>
  )
}
