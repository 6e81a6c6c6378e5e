import { Button, Group, Text } from '@mantine/core'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { FailureNote } from './failure-note.tsx'
import { LinkButton } from './link.tsx'
import { PageHead, Section } from './page-parts.tsx'
import { PublicFrame } from './public-frame.tsx'
import { hasUnsavedChanges } from './unsaved.ts'
import { ChunkLoadError, useOnReconnect } from './lazy-component.tsx'
import { t } from '../texts.ts'

export const NotFoundPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead
      title={t('ui.error-pages.there-is-no-page-here')}
      about={t('ui.error-pages.the-address-may-be-mistyped-or')}
    />
    <LinkButton to="/">{t('ui.error-pages.go-to-the-first-page')}</LinkButton>
  </Section>
)

export const ForbiddenPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead
      title={t('ui.error-pages.this-page-is-for-admins')}
      about={t('ui.error-pages.your-account-is-not-an-admins')}
    />
    <LinkButton to="/">{t('ui.error-pages.go-to-the-first-page')}</LinkButton>
  </Section>
)

/** An error in the root layout: shows the public layout with its header. */
export const RootErrorPage = (props: ErrorComponentProps) => (
  <PublicFrame narrow>
    <ErrorPage {...props} />
  </PublicFrame>
)

/** The time for a chunk to load after the network is back, before the page is reloaded. */
const reload_after_ms = 3_000

/** Some browsers cache a failed module load until a reload. Unsaved changes prevent the reload. */
function reloadIfStillMissing() {
  if (document.querySelector('[data-chunk-missing]') && !hasUnsavedChanges()) location.reload()
}

/** Shown when a page has thrown while rendering, or its chunk could not be loaded. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  const is_chunk_missing = error instanceof ChunkLoadError
  useOnReconnect(() => {
    if (!is_chunk_missing) return
    again()
    setTimeout(reloadIfStillMissing, reload_after_ms)
  })
  if (is_chunk_missing)
    return (
      <Section maw={560} mx="auto" mt="xl" data-chunk-missing>
        <PageHead title={t('ui.error-pages.this-page-could-not-be-loaded')} about={error.message} />
        <Button onClick={() => location.reload()}>{t('common.reload-the-page')}</Button>
      </Section>
    )
  return (
    <Section maw={560} mx="auto" mt="xl">
      <PageHead title={t('ui.error-pages.this-page-has-failed')} />
      <FailureNote error={error} />
      <Text size="sm" c="dimmed" my="md">
        {t('ui.error-pages.nothing-that-you-saved-before-is')}
      </Text>
      <Group>
        <Button onClick={again}>{t('common.try-again')}</Button>
        <Button variant="default" onClick={() => location.reload()}>
          {t('common.reload-the-page')}
        </Button>
      </Group>
    </Section>
  )
}
