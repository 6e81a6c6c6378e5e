import { Button, Group, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { describeLogout } from '../../../contract/openid.ts'
import { hostOf } from '../../../contract/addresses.ts'
import type { AnswerOf } from '../../api/call.ts'
import { ApiError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { signOut } from '../../session/sign-out.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import { Address } from '../../ui/external-link.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type LogoutDetails = AnswerOf<typeof describeLogout>

/** A refused request has no address to continue to. */
const nothing: LogoutDetails = { app_name: null, redirect_uri: null, user_id: null, is_approved: false }

/**
 * The end_session_endpoint (D-103). An app that sends the identity token of the signed-in person signs them out
 * immediately; otherwise the person is asked, because any page can link here. A refused request offers to sign out, and
 * stays here (D-128).
 */
export default function Logout() {
  const search = useRouter().latestLocation.searchStr
  const query = Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''))
  const details = useApiQuery(describeLogout, { query }, { staleTime: 0 })
  const refusal = details.error instanceof ApiError && details.error.status === 400 ? details.error : undefined
  if (refusal) return <Leave request={nothing} refusal={refusal} />
  if (details.error)
    return (
      <CardPage
        title={t('common.this-link-does-not-work')}
        about={t('sign-in.logout.nothing-was-changed-you-are-still')}
      >
        <FailureNote error={details.error} />
      </CardPage>
    )
  if (!details.data)
    return (
      <CardPage title={t('common.one-moment')}>
        <LoadingSkeleton rows={2} />
      </CardPage>
    )
  return <Leave request={details.data} />
}

/** Outside the components, which are recreated when the session ends. The document is left in any case. */
let is_leaving = false

interface LeaveProps {
  request: LogoutDetails
  refusal?: ApiError
}

function Leave({ request, refusal }: LeaveProps) {
  const { session } = useSession()
  // Redirecting to an unapproved app needs a click (D-123).
  const onward = request.is_approved ? request.redirect_uri : null
  const [stays, setStays] = useState(false)
  const is_confirmed = session !== undefined && session.user.id === request.user_id
  const leave = async () => {
    is_leaving = true
    await signOut()
    if (onward !== null) location.replace(onward)
  }
  useEffect(() => {
    if (is_leaving) return
    if (is_confirmed) void leave()
    // There is no session to end: the app may already have ended it.
    else if (!session && onward !== null) {
      is_leaving = true
      location.replace(onward)
    }
  })
  if (stays) return <Stayed request={request} />
  if (!session || is_confirmed) return <SignedOut request={request} />
  return (
    <CardPage
      title={t('sign-in.logout.sign-out-of-plaza')}
      about={
        <RichText
          k="sign-in.logout.asks-that-you-sign-out-you"
          app_name={request.app_name === null ? t('sign-in.logout.a-page') : <bdi>{request.app_name}</bdi>}
          bdi={<bdi>{session.user.username}</bdi>}
        />
      }
    >
      {refusal && (
        <Text size="sm" c="dimmed" mb="md">
          {t('sign-in.logout.the-page-that-sent-you-here')} {refusal.message}
        </Text>
      )}
      <Group grow gap="sm">
        <Button variant="default" onClick={() => setStays(true)}>
          {t('sign-in.logout.stay-signed-in')}
        </Button>
        <Button onClick={() => void leave()}>{t('common.sign-out')}</Button>
      </Group>
    </CardPage>
  )
}

const Stayed = ({ request: { redirect_uri } }: { request: LogoutDetails }) => (
  <CardPage title={t('sign-in.logout.you-are-still-signed-in')}>
    <Onward redirect_uri={redirect_uri} />
  </CardPage>
)

const SignedOut = ({ request: { redirect_uri } }: { request: LogoutDetails }) => (
  <CardPage title={t('sign-in.logout.you-are-signed-out')}>
    <Onward redirect_uri={redirect_uri} />
  </CardPage>
)

const Onward = ({ redirect_uri }: { redirect_uri: string | null }) => (
  <Stack gap="sm">
    {redirect_uri !== null && (
      <Button component="a" href={redirect_uri} fullWidth>
        {t('common.go-on')}
      </Button>
    )}
    {redirect_uri !== null && (
      <Text size="sm" c="dimmed">
        <RichText k="sign-in.logout.this-opens" address={<Address>{hostOf(redirect_uri)}</Address>} />
      </Text>
    )}
    <LinkButton to="/" variant="default">
      {t('sign-in.logout.go-to-plaza')}
    </LinkButton>
  </Stack>
)
