import { Suspense } from 'react'
import { useSession } from '../../session/session.ts'
import { Waiting } from '../../ui/page-parts.tsx'
import { lazyPart } from '../../ui/updated.tsx'
import { Landing } from './landing.tsx'

const Overview = lazyPart(() => import('./overview.tsx'))

/** What Plaza is, for who is not signed in; where one stands and what to do next, for who is. */
export default function Home() {
  const { session } = useSession()
  if (!session) return <Landing />
  return (
    <Suspense fallback={<Waiting rows={6} />}>
      <Overview is_admin={session.user.is_admin} />
    </Suspense>
  )
}
