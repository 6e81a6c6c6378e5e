import { Button, Group, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { describeLogout } from '../../../contract/openid.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { signOut } from '../../session/sign-out.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import { Address } from '../../ui/external-link.tsx'
import { LinkButton } from '../../ui/link.tsx'

type LogoutDetails = AnswerOf<typeof describeLogout>

/**
 * The end_session_endpoint (D-103). An app that shows the identity token of the person who is signed in has them signed out at once;
 * otherwise the person is asked, since any page can link here.
 */
export default function Logout() {
  const search = useRouter().latestLocation.searchStr
  const query = Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''))
  const details = useApiQuery(describeLogout, { query }, { staleTime: 0 })
  if (details.error)
    return (
      <CardPage title="This link does not work" about="Nothing was changed: you are still signed in.">
        <FailureNote error={details.error} />
      </CardPage>
    )
  if (!details.data)
    return (
      <CardPage title="One moment…">
        <LoadingSkeleton rows={2} />
      </CardPage>
    )
  return <Leave request={details.data} />
}

/** Outside the components, which are made anew when the session ends. The document is left in any case. */
let is_leaving = false

function Leave({ request }: { request: LogoutDetails }) {
  const { session } = useSession()
  const [stays, setStays] = useState(false)
  const is_confirmed = session !== undefined && session.user.id === request.user_id
  const leave = async () => {
    is_leaving = true
    await signOut()
    if (request.redirect_uri !== null) location.replace(request.redirect_uri)
  }
  useEffect(() => {
    if (is_leaving) return
    if (is_confirmed) void leave()
    // Nothing to end: the app may have done so already.
    else if (!session && request.redirect_uri !== null) {
      is_leaving = true
      location.replace(request.redirect_uri)
    }
  })
  if (stays) return <Stayed request={request} />
  if (!session || is_confirmed) return <SignedOut request={request} />
  return (
    <CardPage
      title="Sign out of Plaza?"
      about={
        <>
          {request.app_name === null ? 'A page' : <bdi>{request.app_name}</bdi>} asks that you sign out. You are signed
          in as <bdi>{session.user.username}</bdi>.
        </>
      }
    >
      <Group grow gap="sm">
        <Button variant="default" onClick={() => setStays(true)}>
          Stay signed in
        </Button>
        <Button onClick={() => void leave()}>Sign out</Button>
      </Group>
    </CardPage>
  )
}

const Stayed = ({ request: { redirect_uri } }: { request: LogoutDetails }) => (
  <CardPage title="You are still signed in">
    <Onward redirect_uri={redirect_uri} />
  </CardPage>
)

const SignedOut = ({ request: { redirect_uri } }: { request: LogoutDetails }) => (
  <CardPage title="You are signed out">
    <Onward redirect_uri={redirect_uri} />
  </CardPage>
)

const Onward = ({ redirect_uri }: { redirect_uri: string | null }) => (
  <Stack gap="sm">
    {redirect_uri !== null && (
      <Button component="a" href={redirect_uri} fullWidth>
        Go on
      </Button>
    )}
    {redirect_uri !== null && (
      <Text size="sm" c="dimmed">
        This opens <Address>{new URL(redirect_uri).host}</Address>.
      </Text>
    )}
    <LinkButton to="/" variant="default">
      Go to Plaza
    </LinkButton>
  </Stack>
)
