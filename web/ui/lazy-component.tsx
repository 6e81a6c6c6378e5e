import '@mantine/core/styles.css'
import { Alert, Button, Text } from '@mantine/core'
import { Component, use, useEffect, useEffectEvent, type ComponentType, type ReactNode } from 'react'
import { Icon } from './icon.tsx'
import classes from './lazy-component.module.css'

/** A part of the console could not be fetched: after a release the old parts are gone. */
export class ChunkLoadError extends Error {
  constructor(cause: unknown) {
    super(
      navigator.onLine
        ? 'Plaza was updated since you opened it. Reload the page to continue.'
        : 'Plaza cannot be reached. As soon as your connection is back, this goes on by itself.',
      { cause },
    )
    this.name = 'PartMissing'
  }
}

/** Fetches a part of the console; rejects with `PartMissing`. */
export const loadChunk = <Part,>(load: () => Promise<Part>): Promise<Part> =>
  load().catch((error: unknown) => {
    throw new ChunkLoadError(error)
  })

/**
 * A component that is fetched when it is drawn for the first time, or by its `fetch`. Unlike the kit's own, one that could
 * not be fetched is fetched again when it is drawn again.
 */
export function lazyComponent<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let Loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const fetchOnce = () =>
    (loading ??= loadChunk(load).then(
      (part) => {
        Loaded = part.default
      },
      (error: unknown) => {
        // Who waits for this try is told of its end; the next one is another.
        setTimeout(() => (loading = undefined))
        throw error
      },
    ))
  function Part(props: Props) {
    if (!Loaded) use(fetchOnce())
    return Loaded && <Loaded {...props} />
  }
  return Object.assign(Part, { fetch: fetchOnce })
}

/** Calls back when the network is there again. */
export function useOnReconnect(onBack: () => void) {
  const back = useEffectEvent(onBack)
  useEffect(() => {
    const listener = () => back()
    addEventListener('online', listener)
    return () => removeEventListener('online', listener)
  }, [])
}

const WhenOnline = ({ onBack }: { onBack: () => void }) => {
  useOnReconnect(onBack)
  return null
}

/** Around what is fetched when it is wanted: what is missing is said at the foot, and the page stays as it is. */
export class ChunkErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error | undefined } = {}

  static getDerivedStateFromError = (error: Error) => ({ error })

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Alert role="alert" color="yellow" variant="filled" icon={<Icon name="refresh" />} className={classes.note}>
        <WhenOnline onBack={() => this.setState({ error: undefined })} />
        <Text size="sm">{error.message}</Text>
        <Button mt="xs" size="compact-sm" variant="default" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Alert>
    )
  }
}
