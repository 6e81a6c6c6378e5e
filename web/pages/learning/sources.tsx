import { List } from '@mantine/core'
import type { Module } from './course.ts'
import { SafeLink } from './safe-link.tsx'

export const Sources = ({ sources }: { sources: Module['sources'] }) => (
  <List size="sm" spacing={6}>
    {sources.map(({ title, url }) => (
      <List.Item key={url}>
        <SafeLink href={url}>{title}</SafeLink>
      </List.Item>
    ))}
  </List>
)
