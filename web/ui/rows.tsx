import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import classes from './rows.module.css'

/** A list with a line between its rows. */
export const Rows = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ul className={classes.rows} aria-label={label}>
    {children}
  </ul>
)

interface RowProps {
  /** An icon, or an element in its place. */
  lead: IconName | { element: ReactNode }
  children: ReactNode
  /** At the end; on phones below the content, unless it is only an icon. */
  action?: ReactNode
  /** Aligns long content at the top. */
  top?: boolean
}

export const Row = ({ lead, children, action, top = false }: RowProps) => (
  <li className={`${classes.row} ${top ? classes.top : ''}`}>
    {typeof lead === 'string' ? <LeadIcon name={lead} c="dimmed" /> : lead.element}
    <div>{children}</div>
    {action && <div className={classes.action}>{action}</div>}
  </li>
)

/** The icon at the start of a row, in a colour. */
export const LeadIcon = ({ name, c }: { name: IconName; c: string }) => (
  <Text c={c} component="span" lh={1}>
    <Icon name={name} size={22} />
  </Text>
)
