import { Stack } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useMailedCode } from '../../ui/mailed-code.ts'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { AddressChange } from './address-change.tsx'
import { NameChange } from './name-change.tsx'

export default function Details() {
  const profile = useApiQuery(me, {})
  const mailed = useMailedCode()
  return (
    <>
      <PageHead title="Address and name" about="Where mails reach you, and what others call you." />
      <Stack gap="lg" maw={760}>
        <QueryResult query={profile} rows={6}>
          {({ user }) => (
            <>
              <Section title="E-mail address">
                <AddressChange user={user} mailed={mailed} />
              </Section>
              <Section title="Name">
                <NameChange user={user} />
              </Section>
            </>
          )}
        </QueryResult>
      </Stack>
    </>
  )
}
