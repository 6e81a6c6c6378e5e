import { fieldErrors, invalidField, refuseFieldErrors } from './failure.ts'

export interface Span {
  /** Inclusive. */
  since: Date | null
  /** Exclusive. */
  until: Date | null
}

/** Parses the time in a field whose format is already checked. A leap second passes that check but fails here with `validation_failed`. */
export function readMoment(path: string, text: string): Date {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) throw invalidField(path, 'moment')
  return moment
}

/** The span of time between `from` and `to` of a query. Fails with `validation_failed`. */
export function readSpan({ from, to }: { from?: string | undefined; to?: string | undefined }): Span {
  const since = from === undefined ? null : new Date(from)
  const until = to === undefined ? null : new Date(to)
  const faults = Object.entries({ from: since, to: until })
    .filter(([, time]) => time !== null && Number.isNaN(time.getTime()))
    .flatMap(([path]) => fieldErrors(path, 'moment'))
  refuseFieldErrors(faults)
  if (since && until && until <= since) throw invalidField('to', 'after_from')
  return { since, until }
}
