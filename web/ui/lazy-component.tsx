import './mantine.css'
import { Alert, Button, Text } from '@mantine/core'
import {
  Component,
  createElement,
  Suspense,
  use,
  useEffect,
  useEffectEvent,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react'
import { onReachable, probe } from '../api/reachability.ts'
import { Icon } from './icon.tsx'
import classes from './lazy-component.module.css'
import { t } from '../texts.ts'

/** A chunk could not be loaded: the network is down, or a release has removed it. */
export class ChunkLoadError extends Error {
  constructor(cause: unknown, is_reachable = true) {
    super(
      is_reachable
        ? t('ui.lazy-component.plaza-was-updated-since-you-opened')
        : t('ui.lazy-component.plaza-cannot-be-reached-as-soon'),
      { cause },
    )
    this.name = 'ChunkLoadError'
  }
}

/** The wording of Chromium, Firefox, WebKit and the bundler if a file of a chunk did not arrive. */
const load_failure = /dynamically imported module|importing a module script failed|unable to preload css/i

/** Loads a chunk. Rejects with `ChunkLoadError` if it did not arrive, and with its own error if its code failed. */
export const loadChunk = <Module,>(load: () => Promise<Module>): Promise<Module> =>
  load().catch(async (error: unknown) => {
    throw error instanceof Error && load_failure.test(error.message) ? new ChunkLoadError(error, await probe()) : error
  })

/**
 * A component whose chunk is loaded on the first render or by `fetch`. Unlike with `React.lazy`, a failed load is
 * repeated on the next render.
 */
export function lazyComponent<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let chunk: Promise<ComponentType<Props>> | undefined
  const begin = () => {
    const begun: Promise<ComponentType<Props>> = loadChunk(load).then(
      (module) => {
        // With these properties, `use` reads it without waiting.
        void Object.assign(begun, { status: 'fulfilled', value: module.default })
        return module.default
      },
      (error: unknown) => {
        // Renders that wait for this attempt get its error; the next one starts a new load.
        setTimeout(() => (chunk = undefined))
        throw error
      },
    )
    return begun
  }
  const fetchOnce = () => (chunk ??= begin())
  function Part(props: Props) {
    return createElement(use(fetchOnce()), props)
  }
  return Object.assign(Part, { fetch: fetchOnce })
}

export function useOnReconnect(onBack: () => void) {
  const back = useEffectEvent(onBack)
  useEffect(() => onReachable(() => back()), [])
}

const WhenOnline = ({ onBack }: { onBack: () => void }) => {
  useOnReconnect(onBack)
  return null
}

/** Reports at the bottom of the window that a chunk could not be loaded. */
export const ChunkErrorNote = ({ error, onBack }: { error: Error; onBack: () => void }) => (
  <Alert role="alert" color="yellow" variant="filled" icon={<Icon name="refresh" />} className={classes.note}>
    <WhenOnline onBack={onBack} />
    <Text size="sm">{error.message}</Text>
    <Button mt="xs" size="compact-sm" variant="default" onClick={() => location.reload()}>
      {t('common.reload-the-page')}
    </Button>
  </Alert>
)

/** An error boundary for lazy components: shows the error at the bottom of the window and keeps the page. */
class ChunkErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error | undefined } = {}

  static getDerivedStateFromError = (error: Error) => ({ error })

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    // The page handles other errors.
    if (!(error instanceof ChunkLoadError)) throw error
    return <ChunkErrorNote error={error} onBack={() => this.setState({ error: undefined })} />
  }
}

/** Renders parts of the page that are loaded on demand; a failed load is shown as a note. */
export const OnDemand = ({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) => (
  <ChunkErrorBoundary>
    <Suspense fallback={fallback}>{children}</Suspense>
  </ChunkErrorBoundary>
)

/** A dialog whose chunk is loaded when it is first opened. */
export function lazyDialog<Props extends { opened: boolean }>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Loaded = lazyComponent(load)
  return function LazyDialog(props: Props) {
    const { opened } = props
    const [used, setUsed] = useState(opened)
    if (opened && !used) setUsed(true)
    return (
      used && (
        <OnDemand>
          <Loaded {...props} />
        </OnDemand>
      )
    )
  }
}
