import { Suspense } from 'react'
import { useSession } from '../../session/session.ts'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Landing } from './landing.tsx'

const Overview = lazyComponent(() => import('./overview.tsx'))

/** The landing page, or the overview when signed in. */
export default function Home() {
  const { session } = useSession()
  if (!session) return <Landing />
  return (
    <Suspense fallback={<LoadingSkeleton rows={6} />}>
      <Overview is_admin={session.user.is_admin} />
    </Suspense>
  )
}
