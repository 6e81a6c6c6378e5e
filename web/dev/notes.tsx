import { Alert, Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { NetworkError } from '../api/errors.ts'
import { noteAnswer, noteSilence } from '../api/reachability.ts'
import { useSession } from '../session/session.ts'
import AdminSecondFactor from '../ui/admin-second-factor.tsx'
import { CardPage } from '../ui/card-page.tsx'
import { ErrorPage, ForbiddenPage, NotFoundPage } from '../ui/error-pages.tsx'
import { FailureNote } from '../ui/failure-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { ChunkErrorNote, ChunkLoadError } from '../ui/lazy-component.tsx'
import Notifications from '../ui/notifications.tsx'
import { notify } from '../ui/notify.tsx'
import { OfflineBanner } from '../ui/offline-banner.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { ReviewedNote } from '../ui/reviewed-note.tsx'
import { WaitingRewards } from '../ui/waiting-rewards.tsx'
import { Part, refusals, State, States } from './part.tsx'

const nothing = () => {}

const failures = [
  ['refused', refusals.conflict, undefined],
  ['invalid fields', refusals.fields, undefined],
  ['too many tries', refusals.limited, nothing],
  ['the service failed', refusals.failed, nothing],
  ['no answer', new NetworkError(undefined), nothing],
  ['something that is no error', 'oops', undefined],
] as const

const changed_app = {
  app_name: 'Lantern',
  app_description: 'Lights for the long nights.',
  logo_url: null,
  website_url: 'https://lantern.example',
  reviewed: {
    app_name: 'Lamp',
    app_description: null,
    logo_url: 'https://lamp.example/logo.png',
    website_url: 'https://lamp.example',
    redirect_hosts: ['lamp.example'],
  },
}

export const Notes = () => (
  <>
    <Part file="failure-note.tsx">
      {failures.map(([name, error, onRetry]) => (
        <State key={name} name={name}>
          <FailureNote error={error} {...(onRetry && { onRetry })} />
        </State>
      ))}
    </Part>
    <Part file="reviewed-note.tsx">
      <ReviewedNote app={changed_app} redirect_host="lantern.example" />
    </Part>
    <Part file="waiting-rewards.tsx">
      <WaitingRewards />
    </Part>
    <Part file="admin-second-factor.tsx">
      <AdminSecondFactor />
    </Part>
    <Part file="Alert">
      {(['plaza', 'yellow', 'red', 'gray'] as const).map((color) => (
        <Alert key={color} color={color} icon={<Icon name="info" />} title={color}>
          A note in a page.
        </Alert>
      ))}
    </Part>
    <Part file="Badge">
      <States>
        {(['plaza', 'yellow', 'orange', 'red', 'gray'] as const).map((color) => (
          <Badge key={color} color={color}>
            {color}
          </Badge>
        ))}
        <Badge size="sm">small</Badge>
        <Badge size="lg">large</Badge>
      </States>
    </Part>
    <Part file="notify.tsx">
      <Notification />
    </Part>
    <Part file="offline-banner.tsx">
      <Reachability />
    </Part>
    <Part file="lazy-component.tsx">
      <ChunkNote />
    </Part>
    <Part file="error-pages.tsx">
      <State name="no page">
        <NotFoundPage />
      </State>
      <State name="not an admin">
        <ForbiddenPage />
      </State>
      <State name="a page that failed">
        <ErrorPage error={new Error('Cannot read properties of undefined')} reset={nothing} />
      </State>
      <State name="a page that could not be loaded">
        <ErrorPage error={new ChunkLoadError(undefined)} reset={nothing} />
      </State>
    </Part>
    <Part file="card-page.tsx">
      <CardPage title="Sign in" about="With your address and password.">
        The form
      </CardPage>
    </Part>
    <Part file="page-title.tsx">
      <PageTitle>Title of a page</PageTitle>
    </Part>
  </>
)

/** The frame of signed-in people has a place for notifications. */
function Notification() {
  const { session } = useSession()
  return (
    <>
      {!session && <Notifications />}
      <States>
        <Button variant="default" onClick={() => notify('It is saved.')}>
          Show a note
        </Button>
      </States>
    </>
  )
}

const Reachability = () => (
  <>
    <OfflineBanner />
    <States>
      <Button variant="default" onClick={noteSilence}>
        As if Plaza did not answer
      </Button>
      <Button variant="default" onClick={() => dispatchEvent(new Event('offline'))}>
        As if offline
      </Button>
      <Button variant="default" onClick={noteAnswer}>
        As if it answered
      </Button>
    </States>
  </>
)

function ChunkNote() {
  const [shown, setShown] = useState(false)
  return (
    <States>
      <Button variant="default" onClick={() => setShown(!shown)}>
        A part could not be loaded
      </Button>
      {shown && <ChunkErrorNote error={new ChunkLoadError(undefined)} onBack={() => setShown(false)} />}
    </States>
  )
}
