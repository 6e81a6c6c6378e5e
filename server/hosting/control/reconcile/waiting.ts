import { EngineError } from '../../engine/engine.ts'
import { PlatformError } from './platform-error.ts'

/** The reason in the pending entry of the deploy log while a deployment is retried. */
export function waitingMessage(error: unknown): string {
  if (error instanceof PlatformError && error.told !== undefined) return error.told
  return `${reasonOf(error)} It is tried again.`
}

function reasonOf(error: unknown): string {
  if (error instanceof PlatformError) return 'The platform cannot read its environment at the moment.'
  if (!(error instanceof EngineError)) return 'The platform could not work on it.'
  const { fault, message } = error
  switch (fault) {
    case 'no_capacity':
      return /no space left/i.test(message)
        ? 'The disk of its container host is full.'
        : 'No container host has room for it: memory, ports or networks are used up.'
    case 'unreachable':
    case 'timeout':
    case 'too_old':
      return 'Its container host does not answer.'
    default:
      return sentence(message)
  }
}

const sentence = (message: string) => (/[.!?]$/.test(message) ? message : `${message}.`)
