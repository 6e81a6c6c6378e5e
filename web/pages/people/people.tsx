import { PageHead, Section } from '../../ui/page-parts.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PersonSearch } from './person-search.tsx'
import { useFriendEvents } from './friend-relations.ts'
import { usePresenceHeartbeat } from './use-presence.ts'
import { t } from '../../texts.ts'

export default function People() {
  useFriendEvents()
  usePresenceHeartbeat()
  return (
    <>
      <PageHead
        title={t('common.find-people')}
        about={t('people.people.ask-somebody-to-be-your-friend')}
        actions={
          <LinkButton to="/friends" variant="default" size="sm">
            {t('common.your-friends')}
          </LinkButton>
        }
      />
      <Section>
        <PersonSearch />
      </Section>
    </>
  )
}
