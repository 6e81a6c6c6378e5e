import { Box, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../api/errors.ts'
import { Section } from '../ui/page-parts.tsx'

/** The component of one file, in its states. */
export const Part = ({ file, children }: { file: string; children: ReactNode }) => (
  <Section title={file}>
    <Stack gap="md">{children}</Stack>
  </Section>
)

/** One state of a component, under its name. */
export const State = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box>
    <Text size="xs" c="dimmed" mb={6}>
      {name}
    </Text>
    {children}
  </Box>
)

/** Several states side by side. */
export const States = ({ children }: { children: ReactNode }) => (
  <Group gap="lg" align="flex-start">
    {children}
  </Group>
)

const refusal = (status: number, headers: Record<string, string>, message: string, more: object = {}) =>
  new ApiError(status, new Headers(headers), { message, ...more })

/** Answers of the API that are refusals. */
export const refusals = {
  conflict: refusal(409, {}, 'Another app has this name.'),
  fields: refusal(422, {}, 'Some fields are invalid.', {
    fields: [
      { path: 'app_name', message: 'must not be blank' },
      { path: 'redirect_uris.1', message: 'must use https' },
    ],
  }),
  limited: refusal(429, { 'retry-after': '90' }, 'Too many requests.'),
  failed: refusal(500, { 'x-request-id': '9355cb42-17' }, 'Something went wrong on our side.'),
}

/** Never settles: what waits for it stays busy. */
export const forever = () => new Promise<never>(() => {})
