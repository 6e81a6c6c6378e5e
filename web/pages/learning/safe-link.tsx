import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'

/** A link to another site; its text alone if the URL is not safe. */
export const SafeLink = ({ href, children }: { href: string; children: ReactNode }) =>
  /^(?:https:\/\/|mailto:)/i.test(href) ? (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  ) : (
    children
  )
