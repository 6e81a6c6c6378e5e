import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { getPublicApp } from '../../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, setDailyLimit } from '../../../contract/oauth.ts'
import { failures } from '../../../contract/errors.ts'
import type { InputOf } from '../../api/call.ts'
import { isApiError, ApiError } from '../../api/errors.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { useSession } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import { withoutBidiControls } from '../../ui/title.ts'
import { AccountLinks } from './account-links.tsx'
import { responseUrl } from './authorization-response.ts'
import { Consent, type AuthorizationDetails } from './consent.tsx'
import { AuthorizeProblem } from './authorize-problem.tsx'

type Query = NonNullable<NonNullable<InputOf<typeof describeAuthorization>[0]>['query']>

const parameters = authorize.query.properties

/**
 * Parses the authorization request: all parameters as sent, those with a value as the query, and the repeated ones, which
 * RFC 6749 §3.1 forbids. Unknown parameters are ignored.
 */
function readRequest(search: string) {
  const given = [...new URLSearchParams(search)]
  const names = given.map(([name]) => name)
  return {
    given,
    query: Object.fromEntries(given.filter(([, value]) => value !== '')) as unknown as Query,
    repeated: names.filter((name, at) => Object.hasOwn(parameters, name) && names.indexOf(name) !== at),
  }
}

/**
 * The authorization endpoint's page (D-30): sign-in, consent, then the redirect to the app. Every check is made by the API.
 */
export default function Authorize() {
  const { session } = useSession()
  const search = useRouter().latestLocation.searchStr
  useReloadAfterBack()
  const { given, query, repeated } = readRequest(search)
  if (repeated.length > 0) return <AuthorizeProblem given={given} repeated={repeated} />
  if (!session) return <SignInFirst next={`/oauth/authorize${search}`} given={given} query={query} />
  return <Request key={session.user.id} username={session.user.username} given={given} query={query} />
}

/** Reloads a page that the browser restores from its back/forward cache. */
function useReloadAfterBack() {
  useEffect(() => {
    const begin = ({ persisted }: PageTransitionEvent) => {
      if (persisted) location.reload()
    }
    addEventListener('pageshow', begin)
    return () => removeEventListener('pageshow', begin)
  }, [])
}

interface SignInFirstProps {
  next: string
  given: [string, string][]
  query: Query
}

/** Asks for a sign-in. An unknown client is refused before it. */
function SignInFirst({ next, given, query }: SignInFirstProps) {
  const client_id = query?.client_id ?? ''
  const app = useApiQuery(getPublicApp, { params: { client_id } }, { enabled: client_id !== '' })
  if (client_id === '' || isApiError(app.error, 'not_found'))
    return <AuthorizeProblem given={given} error={unknownClient()} />
  return <SignInCard next={next} app_name={app.data?.name ?? 'An app'} />
}

/** The API's refusal of an unknown client. */
const unknownClient = () => new ApiError(400, new Headers(), failures.unknown_client)

const SignInCard = ({ next, app_name }: { next: string; app_name: string }) => (
  <CardPage
    title="Sign in"
    about={
      <>
        <bdi>{app_name}</bdi> asks for access to your Plaza account. Sign in to see what it wants.
      </>
    }
  >
    <SignInForm onDone={() => {}} />
    <AccountLinks next={next}> and come back to this page.</AccountLinks>
  </CardPage>
)

interface RequestProps {
  username: string
  given: [string, string][]
  query: Query
}

function Request({ username, given, query }: RequestProps) {
  const details = useApiQuery(describeAuthorization, { query }, { staleTime: 0 })
  const allowing = useApiMutation(authorize)
  const [way_back, setWayBack] = useState<string>()
  const redirect = (request: AuthorizationDetails, answer: Record<string, string>) => {
    const { state } = query
    const address = responseUrl(request, { ...answer, ...(state !== undefined && { state }) })
    setWayBack(address)
    // Replaces the history entry: "back" from the app would redirect to it again.
    location.replace(address)
  }
  const limiting = useApiMutation(setDailyLimit)
  const allow = (request: AuthorizationDetails) => {
    allowing.mutate({ query }, { onSuccess: ({ code }) => redirect(request, { code }) })
  }
  /** The limit is set first: it binds the app from its first call on. */
  const allowWithLimit = (request: AuthorizationDetails, daily_limit: number | null) => {
    if (daily_limit === request.daily_limit) return allow(request)
    const input = { params: { app_id: request.app_id }, body: { daily_limit } }
    limiting.mutate(input, { onSuccess: () => allow(request) })
  }
  const remembered = details.isFetchedAfterMount && details.data?.consent_needed === false ? details.data : undefined
  const is_redirecting = useRef(false)
  useEffect(() => {
    if (!remembered || is_redirecting.current) return
    is_redirecting.current = true
    allow(remembered)
  })
  if (details.data && way_back !== undefined)
    return <BackToApp app_name={details.data.app.app_name} address={way_back} />
  const error = details.error ?? limiting.error ?? allowing.error
  if (error) return <AuthorizeProblem given={given} error={error} onRetry={() => location.reload()} />
  if (!details.data || !details.isFetchedAfterMount || remembered || allowing.isSuccess)
    return <Redirecting app_name={details.data?.app.app_name} />
  const request = details.data
  return (
    <Consent
      request={request}
      username={username}
      busy={limiting.isPending || allowing.isPending}
      onAllow={(daily_limit) => allowWithLimit(request, daily_limit)}
      onDeny={() => redirect(request, { error: 'access_denied' })}
    />
  )
}

const Redirecting = ({ app_name }: { app_name: string | undefined }) => (
  <CardPage
    title="One moment…"
    about={app_name === undefined ? 'Reading what the app asks for.' : `Taking you back to ${app_name}.`}
  >
    <LoadingSkeleton rows={2} />
  </CardPage>
)

/** Stays visible when an app on the device does not open. */
const BackToApp = ({ app_name, address }: { app_name: string; address: string }) => (
  <CardPage
    title="One moment…"
    about={
      <>
        Taking you back to <bdi>{app_name}</bdi>. If nothing happens, open it here; you can close this page then.
      </>
    }
  >
    <Button component="a" href={address}>
      Open {withoutBidiControls(app_name)}
    </Button>
  </CardPage>
)
