import { Box, Button, Group, Paper, Skeleton, Stack, Text, Title, type PaperProps } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FailureNote } from './failure-note.tsx'
import { Icon, type IconName } from './icon.tsx'
import { PageTitle } from './page-title.tsx'
import { t } from '../texts.ts'

/**
 * The header of a page: title, description and actions. `narrow` gives it the width of the cards of text and forms
 * below it.
 */
export const PageHead = ({
  title,
  about,
  actions,
  narrow = false,
}: {
  title: ReactNode
  about?: ReactNode
  actions?: ReactNode
  narrow?: boolean
}) => (
  <Group justify="space-between" align="flex-start" gap="md" mb="lg" {...(narrow && { maw: 760 })}>
    <Box maw={680}>
      <PageTitle>{title}</PageTitle>
      {about !== undefined && (
        <Text c="dimmed" mt={4}>
          {about}
        </Text>
      )}
    </Box>
    {actions && <Group gap="xs">{actions}</Group>}
  </Group>
)

/** A card with an optional heading. */
export const Section = ({
  title,
  about,
  actions,
  children,
  ...rest
}: { title?: ReactNode; about?: ReactNode; actions?: ReactNode; children: ReactNode } & PaperProps) => (
  <Paper
    component="section"
    withBorder
    p={{ base: 'md', sm: 'lg' }}
    bg="var(--plaza-card)"
    {...(rest.p === 0 && { 'data-flush': true })}
    {...rest}
  >
    {(title !== undefined || actions) && (
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <Box>
          {title !== undefined && <Title order={2}>{title}</Title>}
          {about !== undefined && (
            <Text size="sm" c="dimmed" mt={2}>
              {about}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    )}
    {children}
  </Paper>
)

/** The empty state of a list: why it is empty, and what to do next. */
export const EmptyState = ({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) => (
  <Stack align="center" gap={6} py="xl" px="md" ta="center">
    <Text c="dimmed" component="span" lh={1}>
      <Icon name={icon} size={32} />
    </Text>
    <Text fw={600}>{title}</Text>
    {children && (
      <Box c="dimmed" fz="sm" maw={440}>
        {children}
      </Box>
    )}
  </Stack>
)

export const LoadingSkeleton = ({ rows = 3 }: { rows?: number }) => (
  <Stack gap="sm" aria-busy="true" role="status" aria-label={t('common.loading')}>
    {Array.from({ length: rows }, (_, at) => (
      <Skeleton key={at} height={at === 0 ? 22 : 16} width={at === 0 ? '42%' : `${92 - at * 9}%`} radius="sm" />
    ))}
  </Stack>
)

/** The placeholder of one part of known size. Screen readers read its label. */
export const LoadingPart = ({ label = t('common.loading'), ...size }: { label?: string; h: number; w?: number }) => (
  <Skeleton {...size} role="status" aria-label={label} />
)

interface QueryResultProps<Answer> {
  query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'refetch'>
  rows?: number
  /** Shown for an answer whose lists are all empty. */
  empty?: ReactNode
  children: (answer: Answer) => ReactNode
}

/** Renders the result of a query: a skeleton while it loads, the error with a retry button, or `children` with the data. */
export function QueryResult<Answer>({ query, rows, empty, children }: QueryResultProps<Answer>) {
  if (query.data !== undefined) return empty !== undefined && isEmpty(query.data) ? empty : children(query.data)
  if (query.error) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />
  return <LoadingSkeleton {...(rows !== undefined && { rows })} />
}

const isEmpty = (answer: unknown) =>
  (Array.isArray(answer) ? [answer] : Object.values(answer as object)).every(
    (part) => !Array.isArray(part) || part.length === 0,
  )

interface MoreProps {
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: unknown
    fetchNextPage: () => unknown
  }
}

/** The end of a paged list: a button that loads the next page, or the error of the last attempt. */
export const LoadMore = ({
  query: { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage },
}: MoreProps) => {
  if (!hasNextPage) return null
  if (isFetchNextPageError && !isFetchingNextPage)
    return <FailureNote error={error} onRetry={() => void fetchNextPage()} />
  return (
    <Group justify="center" my="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('ui.page-parts.show-more')}
      </Button>
    </Group>
  )
}
