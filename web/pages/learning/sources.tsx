import { Anchor, List } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Module } from './course.ts'

/** A link to another site; its text alone if the URL is not safe. */
export const SafeLink = ({ href, children }: { href: string; children: ReactNode }) =>
  /^(?:https:\/\/|mailto:)/i.test(href) ? (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  ) : (
    children
  )

export const Sources = ({ sources }: { sources: Module['sources'] }) => (
  <List size="sm" spacing={6}>
    {sources.map(({ title, url }) => (
      <List.Item key={url}>
        <SafeLink href={url}>{title}</SafeLink>
      </List.Item>
    ))}
  </List>
)
