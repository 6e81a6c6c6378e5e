import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { getPublicApp } from '../../../contract/oauth-apps.ts'
import { authorize, describeAuthorization, openPushedAuthorization, setDailyLimit } from '../../../contract/oauth.ts'
import { unsupportedParameter, type UnsupportedParameter } from '../../../contract/openid.ts'
import { failures, publicError } from '../../../contract/errors.ts'
import type { InputOf } from '../../api/call.ts'
import { isApiError, ApiError } from '../../api/errors.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { isSignedInHere, useSession } from '../../session/session.ts'
import { SignInForm } from '../../session/sign-in-form.tsx'
import { CardPage } from '../../ui/card-page.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import { withoutBidiControls } from '../../ui/tab-title.ts'
import { AccountLinks } from './account-links.tsx'
import { responseUrl, useErrorRedirect } from './authorization-response.ts'
import { Consent, type AuthorizationDetails } from './consent.tsx'
import { AuthorizeProblem } from './authorize-problem.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Query = NonNullable<NonNullable<InputOf<typeof describeAuthorization>[0]>['query']>

/** The parameters that an app may send; only this page sends `after_sign_in` and `shown`. */
const { after_sign_in: _, shown: __, ...parameters } = authorize.query.properties

/**
 * Parses the authorization request: all parameters as sent, the known ones with a value as the query, and the repeated ones,
 * which RFC 6749 §3.1 forbids. Unknown parameters are ignored.
 */
function readRequest(search: string) {
  const given = [...new URLSearchParams(search)]
  const names = given.map(([name]) => name)
  return {
    given,
    unsupported: unsupportedParameter(Object.fromEntries(given.filter(([, value]) => value !== ''))),
    query: Object.fromEntries(
      given.filter(([name, value]) => value !== '' && Object.hasOwn(parameters, name)),
    ) as unknown as Query,
    repeated: names.filter((name, at) => Object.hasOwn(parameters, name) && names.indexOf(name) !== at),
  }
}

/**
 * The authorization endpoint’s page (D-30): sign-in, consent, then the redirect to the app. The API makes every check;
 * parameters that it never accepts are refused before the sign-in.
 */
export default function Authorize() {
  const { session } = useSession()
  const search = useRouter().latestLocation.searchStr
  useReloadAfterBack()
  const { given, query, repeated, unsupported } = readRequest(search)
  if (repeated.length > 0) return <AuthorizeProblem given={given} repeated={repeated} />
  const next = `/oauth/authorize${search}`
  if (query.request_uri !== undefined && query.response_type === undefined)
    return <OpenPushed given={given} client_id={query.client_id} request_uri={query.request_uri} />
  const must_not_ask = query?.prompt === 'none'
  if (unsupported) {
    const error = refusalOf(unsupported)
    return must_not_ask ? <ErrorAnswer given={given} error={error} /> : <AuthorizeProblem given={given} error={error} />
  }
  if (!session && must_not_ask) return <ErrorAnswer given={given} error={refusalOf('login_required')} />
  if (!session) return <SignInFirst next={next} given={given} query={query} />
  // Each request is a document: a sign-in since it was opened was for this request.
  const after_sign_in = isSignedInHere(session)
  return (
    <Request
      key={`${session.user.id} ${after_sign_in}`}
      given={given}
      query={{ ...query, ...(after_sign_in && { after_sign_in }) }}
      next={next}
    />
  )
}

/**
 * Opens a request that the app has pushed (D-151), and puts its parameters into the URL. This page then continues as
 * for any other request, while the API uses the pushed parameters.
 */
function OpenPushed({ given, ...reference }: { given: [string, string][]; client_id: string; request_uri: string }) {
  const began = useRef(false)
  const { mutate, error } = useApiMutation(openPushedAuthorization, {
    onDone: ({ parameters }) => location.replace(`?${new URLSearchParams({ ...parameters, ...reference }).toString()}`),
  })
  useEffect(() => {
    if (began.current) return
    began.current = true
    mutate({ body: reference })
  })
  return error ? <AuthorizeProblem given={given} error={error} /> : <LoadingSkeleton />
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

/** The address of a client metadata document, which is read only for signed-in people (D-36). */
const is_address = /^https?:\/\//

/** Asks for a sign-in. An unknown client is refused first. */
function SignInFirst({ next, given, query }: SignInFirstProps) {
  const client_id = query?.client_id ?? ''
  const app = useApiQuery(getPublicApp, { params: { client_id } }, { enabled: client_id !== '' })
  if (client_id === '' || (isApiError(app.error, 'not_found') && !is_address.test(client_id)))
    return <AuthorizeProblem given={given} error={refusalOf('unknown_client')} />
  return <SignInCard next={next} app_name={app.data?.name ?? t('sign-in.authorize.an-app')} />
}

/** A refusal as the API makes it. */
const refusalOf = (code: 'unknown_client' | 'login_required' | 'consent_required' | UnsupportedParameter) =>
  new ApiError(400, new Headers(), { error: publicError(code), message: failures[code].message })

const SignInCard = ({ next, app_name }: { next: string; app_name: string }) => (
  <CardPage
    title={t('common.sign-in')}
    about={<RichText k="sign-in.authorize.asks-for-access-to-your-plaza" bdi={<bdi>{app_name}</bdi>} />}
  >
    <SignInForm onDone={() => {}} />
    <AccountLinks next={next}>{` ${t('sign-in.authorize.and-come-back-to-this-page')}`}</AccountLinks>
  </CardPage>
)

interface RequestProps {
  given: [string, string][]
  query: Query
  /** The address of this page. */
  next: string
}

function Request({ given, query, next }: RequestProps) {
  const details = useApiQuery(describeAuthorization, { query }, { staleTime: 0 })
  const must_not_ask = query.prompt === 'none'
  const is_redirecting = useRef(false)
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
  /** The app has changed since it was shown: shows its current state. */
  const askAgainIfChanged = async (error: Error) => {
    if (must_not_ask || !isApiError(error, 'consent_required')) return
    allowing.reset()
    await details.refetch()
    is_redirecting.current = false
  }
  const allow = (request: AuthorizationDetails) => {
    const { shown } = request
    allowing.mutate(
      { query: { ...query, shown } },
      { onSuccess: ({ code }) => redirect(request, { code }), onError: (error) => void askAgainIfChanged(error) },
    )
  }
  /** The limit is set first, so that it applies from the app's first call on. */
  const allowWithLimit = (request: AuthorizationDetails, daily_limit: number | null) => {
    if (daily_limit === request.daily_limit) return allow(request)
    const input = { params: { app_id: request.app_id }, body: { daily_limit } }
    limiting.mutate(input, { onSuccess: () => allow(request) })
  }
  const fresh = details.isFetchedAfterMount ? details.data : undefined
  const remembered = fresh && !fresh.consent_needed && !fresh.login_needed ? fresh : undefined
  useEffect(() => {
    if (!remembered || is_redirecting.current) return
    is_redirecting.current = true
    allow(remembered)
  })
  if (details.data && way_back !== undefined)
    return <BackToApp app_name={details.data.app.app_name} address={way_back} />
  const error = details.error ?? limiting.error ?? allowing.error
  if (error && must_not_ask) return <ErrorAnswer given={given} error={error} />
  if (isApiError(error, 'login_required')) return <SignInFirst next={next} given={given} query={query} />
  if (error) return <AuthorizeProblem given={given} error={error} onRetry={() => location.reload()} />
  if (!fresh || remembered || allowing.isSuccess) return <Redirecting app_name={details.data?.app.app_name} />
  const request = fresh
  if (must_not_ask)
    return <ErrorAnswer given={given} error={refusalOf(request.login_needed ? 'login_required' : 'consent_required')} />
  if (request.login_needed) return <SignInFirst next={next} given={given} query={query} />
  return (
    <Consent
      request={request}
      busy={limiting.isPending || allowing.isPending}
      onAllow={(daily_limit) => allowWithLimit(request, daily_limit)}
      onDeny={() => redirect(request, { error: 'access_denied' })}
    />
  )
}

/** Returns an error to the app immediately if it asked for no page (`prompt=none`); only to an approved app (D-123). */
function ErrorAnswer({ given, error }: { given: [string, string][]; error: Error }) {
  const { way_back, problem } = useErrorRedirect(given, error instanceof ApiError ? error : undefined)
  const address = way_back?.is_approved ? way_back.address : undefined
  useEffect(() => {
    if (address !== undefined) location.replace(address)
  }, [address])
  if (problem || !(error instanceof ApiError) || way_back?.is_approved === false)
    return <AuthorizeProblem given={given} error={problem instanceof Error ? problem : error} />
  return <Redirecting app_name={way_back?.app_name} />
}

const Redirecting = ({ app_name }: { app_name: string | undefined }) => (
  <CardPage
    title={t('common.one-moment')}
    about={
      app_name === undefined
        ? t('sign-in.authorize.reading-what-the-app-asks-for')
        : t('sign-in.authorize.taking-you-back-to', { app_name })
    }
  >
    <LoadingSkeleton rows={2} />
  </CardPage>
)

/** Stays visible when an app on the device does not open. */
const BackToApp = ({ app_name, address }: { app_name: string; address: string }) => (
  <CardPage
    title={t('common.one-moment')}
    about={<RichText k="sign-in.authorize.taking-you-back-to-if-nothing" bdi={<bdi>{app_name}</bdi>} />}
  >
    <Button component="a" href={address}>
      {t('sign-in.authorize.open', { app_name: withoutBidiControls(app_name) })}
    </Button>
  </CardPage>
)
