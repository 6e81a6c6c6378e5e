import { Paper, Text } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { forwardRef, type AnchorHTMLAttributes, type ReactNode } from 'react'
import classes from './tile.module.css'

interface TileProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'about'> {
  label: string
  value: ReactNode
  /** A comparison, or the meaning of the figure. */
  about?: ReactNode
}

const TileOfRouter = forwardRef<HTMLAnchorElement, TileProps>(({ label, value, about, ...link }, ref) => (
  <Paper component="a" ref={ref} withBorder p="md" bg="var(--plaza-card)" className={classes.tile} {...link}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz="1.5rem" fw={650} className="number" lh={1.3}>
      {value}
    </Text>
    {about !== undefined && (
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    )}
  </Paper>
))
TileOfRouter.displayName = 'TileOfRouter'

/** A figure as a card with a link to the page it comes from. */
export const Tile = createLink(TileOfRouter)
