/** The position of a stream: the last change sent, and the time at which it was the latest. */
export interface Place {
  seq: number
  at_ms: number
}

const idOf = ({ seq, at_ms }: Place) => `${seq}-${at_ms}`

/** Parses an event id; undefined if it does not match the contract's pattern. */
export function parsePlace(id: string | undefined): Place | undefined {
  if (!id) return undefined
  const [seq, at_ms] = id.split('-')
  return { seq: Number(seq), at_ms: Number(at_ms) }
}

/** An event as a frame of the stream; its data is one line of JSON. */
export const frameOf = (place: Place, name: string, data: object) =>
  `id: ${idOf(place)}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** The last frame, with the reason why the stream ends. */
export const endOfStream = (place: Place, why: 'session_ended' | 'connection_ended') => frameOf(place, why, {})

/** A comment and the id to resume from. */
export const heartbeatFrame = (place: Place) => `: still here\nid: ${idOf(place)}\n\n`

/** The first frame. The random delay spreads the reconnections of clients that lost their streams at the same time. */
export const welcomeFrame = (place: Place) =>
  `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\nid: ${idOf(place)}\n\n`
