import { Button, Group, Text } from '@mantine/core'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { FailureNote } from './failure-note.tsx'
import { LinkButton } from './link.tsx'
import { PageHead, Section } from './page-parts.tsx'
import { PublicFrame } from './public-frame.tsx'
import { hasUnsavedChanges } from './unsaved.ts'
import { ChunkLoadError, useOnReconnect } from './lazy-component.tsx'

/** There is no such page. */
export const NotFoundPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="There is no page here" about="The address may be mistyped, or what it led to is gone." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** The page is for admins. */
export const ForbiddenPage = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="This page is for admins" about="Your account is not an admin’s. An admin can make you one." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** What is around the pages broke down: the bar, at least, leads on. */
export const RootErrorPage = (props: ErrorComponentProps) => (
  <PublicFrame narrow>
    <ErrorPage {...props} />
  </PublicFrame>
)

/** How long a page has to come once the network is back. */
const again_for_ms = 3_000

/** Some browsers remember that a file could not be fetched, until the page is loaded anew. What is not saved keeps it. */
function loadAfresh() {
  if (document.querySelector('[data-part-missing]') && !hasUnsavedChanges()) location.reload()
}

/** A page broke down while it was drawn, or could not be fetched. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  const is_part_missing = error instanceof ChunkLoadError
  useOnReconnect(() => {
    if (!is_part_missing) return
    again()
    setTimeout(loadAfresh, again_for_ms)
  })
  if (is_part_missing)
    return (
      <Section maw={560} mx="auto" mt="xl" data-part-missing>
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
