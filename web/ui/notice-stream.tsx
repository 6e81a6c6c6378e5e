import { useEvents } from '../pages/people/use-events.ts'

const no_channels: readonly string[] = []

/** Follows the event stream for the count of unread notices alone, on pages that do not follow it themselves. */
export default function NoticeStream() {
  useEvents(no_channels, () => undefined, false)
  return null
}
