import { Box, Group, Stack, Text } from '@mantine/core'
import { createElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import { ApiError } from '../api/errors.ts'
import { Section } from '../ui/page-parts.tsx'

/** Components by file name: one element, or one for each state. */
export type Parts = Record<string, ReactElement | Record<string, ReactNode>>

/** Elements side by side. */
export const row = (...elements: ReactNode[]) => createElement(Group, { gap: 'lg', align: 'flex-start' }, ...elements)

/** Elements one below the other. */
export const column = (...elements: ReactNode[]) => createElement(Stack, { gap: 'md' }, ...elements)

/** A card for each file, with its states. */
export const PartList = ({ parts }: { parts: Parts }) =>
  Object.entries(parts).map(([file, shown]) => (
    <Section key={file} title={file}>
      {isValidElement(shown) ? shown : <Stack gap="md">{Object.entries(shown).map(State)}</Stack>}
    </Section>
  ))

const State = ([name, shown]: [string, ReactNode]) => (
  <Box key={name}>
    <Text size="xs" c="dimmed" mb={6}>
      {name}
    </Text>
    {shown}
  </Box>
)

const refusal = (status: number, headers: Record<string, string>, message: string, more: object = {}) =>
  new ApiError(status, new Headers(headers), { message, ...more })

/** Refusals of the API. */
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

export const nothing = () => {}

/** Never settles: a call that waits for it stays pending. */
export const forever = () => new Promise<never>(nothing)
