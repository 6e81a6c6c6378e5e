import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'

/** A link to another site, where the address is one that may be followed; otherwise its words alone. */
export const SafeLink = ({ href, children }: { href: string; children: ReactNode }) =>
  /^(?:https:\/\/|mailto:)/i.test(href) ? (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  ) : (
    children
  )
