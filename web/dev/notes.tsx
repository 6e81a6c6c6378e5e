import { Alert, Badge, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { NetworkError } from '../api/errors.ts'
import { noteAnswer, noteSilence } from '../api/reachability.ts'
import { useSession } from '../session/session.ts'
import { AdminSecondFactor } from '../ui/admin-second-factor.tsx'
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
import { column, nothing, refusals, row, type Parts } from './part.tsx'

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

const colors = ['plaza', 'yellow', 'orange', 'red', 'gray']

export const notes: Parts = {
  'failure-note.tsx': {
    refused: <FailureNote error={refusals.conflict} />,
    'invalid fields': <FailureNote error={refusals.fields} />,
    'too many tries': <FailureNote error={refusals.limited} onRetry={nothing} />,
    'the service failed': <FailureNote error={refusals.failed} onRetry={nothing} />,
    'no answer': <FailureNote error={new NetworkError(undefined)} onRetry={nothing} />,
    'not an error': <FailureNote error="oops" />,
  },
  'reviewed-note.tsx': <ReviewedNote app={changed_app} redirect_host="lantern.example" />,
  'waiting-rewards.tsx': <WaitingRewards />,
  'admin-second-factor.tsx': <AdminSecondFactor />,
  Alert: column(
    ...colors.map((color) => (
      <Alert key={color} color={color} icon={<Icon name="info" />} title={color}>
        A note in a page.
      </Alert>
    )),
  ),
  Badge: row(
    ...colors.map((color) => (
      <Badge key={color} color={color}>
        {color}
      </Badge>
    )),
    <Badge size="sm">small</Badge>,
    <Badge size="lg">large</Badge>,
  ),
  'notify.tsx': <Notification />,
  'offline-banner.tsx': <Reachability />,
  'lazy-component.tsx': <ChunkNote />,
  'error-pages.tsx': {
    'no page': <NotFoundPage />,
    'not an admin': <ForbiddenPage />,
    'a page that failed': <ErrorPage error={new Error('Cannot read properties of undefined')} reset={nothing} />,
    'a page that could not be loaded': <ErrorPage error={new ChunkLoadError(undefined)} reset={nothing} />,
  },
  'card-page.tsx': (
    <CardPage title="Sign in" about="With your address and password.">
      The form
    </CardPage>
  ),
  'page-title.tsx': <PageTitle>Title of a page</PageTitle>,
}

/** The layout of signed-in users shows notifications. */
function Notification() {
  const { session } = useSession()
  return (
    <>
      {!session && <Notifications />}
      <Group>
        <Button variant="default" onClick={() => notify('It is saved.')}>
          Show a note
        </Button>
      </Group>
    </>
  )
}

function Reachability() {
  return (
    <>
      <OfflineBanner />
      <Group>
        <Button variant="default" onClick={noteSilence}>
          As if Plaza did not answer
        </Button>
        <Button variant="default" onClick={() => dispatchEvent(new Event('offline'))}>
          As if offline
        </Button>
        <Button variant="default" onClick={noteAnswer}>
          As if it answered
        </Button>
      </Group>
    </>
  )
}

function ChunkNote() {
  const [shown, setShown] = useState(false)
  return (
    <Group>
      <Button variant="default" onClick={() => setShown(!shown)}>
        A part could not be loaded
      </Button>
      {shown && <ChunkErrorNote error={new ChunkLoadError(undefined)} onBack={() => setShown(false)} />}
    </Group>
  )
}
