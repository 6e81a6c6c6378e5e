import { Button, Group, Text } from '@mantine/core'
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { FailureNote } from './failure-note.tsx'
import { LinkButton } from './link.tsx'
import { PageHead, Section } from './page-parts.tsx'
import { PublicFrame } from './public-frame.tsx'
import { PartMissing } from './updated.tsx'

/** There is no such page. */
export const Missing = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="There is no page here" about="The address may be mistyped, or what it led to is gone." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** The page is for admins. */
export const Forbidden = () => (
  <Section maw={560} mx="auto" mt="xl">
    <PageHead title="This page is for admins" about="Your account is not an admin’s. An admin can make you one." />
    <LinkButton to="/">Go to the first page</LinkButton>
  </Section>
)

/** What is around the pages broke down: the bar, at least, leads on. */
export const BrokenFrame = (props: ErrorComponentProps) => (
  <PublicFrame narrow>
    <Broken {...props} />
  </PublicFrame>
)

/** A page broke down while it was drawn, or could not be fetched. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  if (error instanceof PartMissing)
    return (
      <Section maw={560} mx="auto" mt="xl">
        <PageHead title="This page could not be loaded" about={error.message} />
        <Button onClick={() => location.reload()}>Load the page afresh</Button>
      </Section>
    )
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Section maw={560} mx="auto" mt="xl">
      <PageHead title="This page broke down" />
      <FailureNote error={error} />
      <Text size="sm" c="dimmed" my="md">
        Nothing that you saved before is lost.
      </Text>
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button variant="default" onClick={() => location.reload()}>
          Load the page afresh
        </Button>
      </Group>
    </Section>
  )
}
