import { Button, Group, Text } from '@mantine/core'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { FailureNote } from './failure-note.tsx'
import { LinkButton } from './link.tsx'
import { PageHead, Section } from './page-parts.tsx'
import { PublicFrame } from './public-frame.tsx'
import { hasUnsavedChanges } from './unsaved.ts'
import { ChunkLoadError, useOnReconnect } from './lazy-component.tsx'

/** No route matches. */
export const NotFoundPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="There is no page here" about="The address may be mistyped, or what it led to is gone." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** The page is for admins only. */
export const ForbiddenPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="This page is for admins" about="Your account is not an admin’s. An admin can make you one." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** An error in the root layout: shows the public layout with its header. */
export const RootErrorPage = (props: ErrorComponentProps) => (
  <PublicFrame narrow>
    <ErrorPage {...props} />
  </PublicFrame>
)

/** How long a chunk may take to load after the network is back, before the page is reloaded. */
const reload_after_ms = 3_000

/** Some browsers cache a failed module load until a reload. Unsaved changes prevent the reload. */
function reloadIfStillMissing() {
  if (document.querySelector('[data-chunk-missing]') && !hasUnsavedChanges()) location.reload()
}

/** A page has thrown while rendering, or its chunk could not be loaded. */
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
        <PageHead title="This page could not be loaded" about={error.message} />
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </Section>
    )
  return (
    <Section maw={560} mx="auto" mt="xl">
      <PageHead title="This page has failed" />
      <FailureNote error={error} />
      <Text size="sm" c="dimmed" my="md">
        Nothing that you saved before is lost.
      </Text>
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button variant="default" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Group>
    </Section>
  )
}
