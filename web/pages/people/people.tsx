import { PageHead, Section } from '../../ui/page-parts.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PersonSearch } from './person-search.tsx'
import { useFriendEvents } from './friend-relations.ts'
import { useEvents } from './use-events.ts'
import { usePresenceHeartbeat } from './use-presence.ts'

export default function People() {
  useEvents([], useFriendEvents())
  usePresenceHeartbeat()
  return (
    <>
      <PageHead
        title="Find people"
        about="Ask somebody to be your friend, and you see when they are online and where."
        actions={
          <LinkButton to="/friends" variant="default" size="sm">
            Your friends
          </LinkButton>
        }
      />
      <Section>
        <PersonSearch />
      </Section>
    </>
  )
}
