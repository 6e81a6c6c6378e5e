import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LinkButton } from '../../../ui/link.tsx'
import { EmptyState, PageHead, Section, LoadingSkeleton } from '../../../ui/page-parts.tsx'
import { responseOf, saveFlow, loadFlow } from './flow.ts'
import { t } from '../../../texts.ts'

/** The redirect URI of the playground: removes the response from the URL and continues in the playground. */
export default function PlaygroundCallback() {
  const router = useRouter()
  const response = responseOf(useSearch({ from: '/playground/callback' }))
  const flow = loadFlow()
  const complete = flow !== undefined && response !== undefined
  useEffect(() => {
    const stored = loadFlow()
    if (!stored || !response) return
    saveFlow({ ...stored, response })
    void router.navigate({ to: '/playground', search: { app: stored.app_id }, replace: true })
  })
  if (complete) return <LoadingSkeleton />
  return (
    <>
      <PageHead title={t('common.back-to-the-playground')} />
      <Section>
        <EmptyState icon="play" title={t('build.callback.nothing-was-begun-in-this-tab')}>
          {t('build.callback.this-address-belongs-to-an-authorization')}
          <br />
          <LinkButton to="/playground" size="sm" mt="md">
            {t('build.callback.open-the-playground')}
          </LinkButton>
        </EmptyState>
      </Section>
    </>
  )
}
