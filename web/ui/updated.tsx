import '@mantine/core/styles.css'
import { Alert, Button, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Icon } from './icon.tsx'
import classes from './updated.module.css'

/** A part of the console could not be fetched: after a release the old parts are gone. */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super(
      navigator.onLine
        ? 'Plaza was updated since you opened it. Load the page afresh to go on.'
        : 'Plaza cannot be reached. Check your connection and load the page afresh.',
      { cause },
    )
    this.name = 'PartMissing'
  }
}

/** Fetches a part of the console; rejects with `PartMissing`. */
export const fetchPart = <Part,>(load: () => Promise<Part>): Promise<Part> =>
  load().catch((error: unknown) => {
    throw new PartMissing(error)
  })

/** Around what is fetched when it is wanted: what is missing is said at the foot, and the page stays as it is. */
export class PartBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {}

  static getDerivedStateFromError = (error: Error) => ({ error })

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Alert role="alert" color="yellow" variant="filled" icon={<Icon name="refresh" />} className={classes.note}>
        <Text size="sm">{error.message}</Text>
        <Button mt="xs" size="compact-sm" variant="default" onClick={() => location.reload()}>
          Load the page afresh
        </Button>
      </Alert>
    )
  }
}
