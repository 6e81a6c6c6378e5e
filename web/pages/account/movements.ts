import { transfer_kinds } from '../../../contract/kinds/transfers.ts'
import type { myPointsHistory } from '../../../contract/points.ts'
import type { AnswerOf } from '../../api/call.ts'
import { transfer_labels } from '../../kinds.tsx'
import { settings } from '../../settings.ts'
import { spanOf } from '../../ui/day-range.ts'
import { formatNumber } from '../../ui/format.tsx'
import { t } from '../../texts.ts'

export type Movement = AnswerOf<typeof myPointsHistory>['data'][number]
export type Kind = Movement['kind']
/** The filter in the URL. `to` is inclusive. */
export interface Filter {
  kind?: Kind
  direction?: 'in' | 'out'
  /** The id of an app. */
  app?: string
  reference?: string
  /** Days of the browser's time zone. */
  from?: string
  to?: string
}

/** The kinds that occur here: play points only in a sandbox, and no closures of accounts. */
export const kinds: readonly Kind[] = transfer_kinds.filter(
  (kind) => kind !== 'closure' && (kind !== 'play' || settings.is_sandbox),
)

const words = ['app', 'reference', 'from', 'to']

/** Parses the filter of the URL; unknown values are ignored. */
export function filterOf(search: Record<string, unknown>): Filter {
  const { kind, direction } = search
  const given = words.filter((name) => typeof search[name] === 'string' && search[name] !== '')
  return {
    ...(kinds.includes(kind as Kind) && { kind: kind as Kind }),
    ...((direction === 'in' || direction === 'out') && { direction }),
    ...Object.fromEntries(given.map((name) => [name, search[name]])),
  }
}

/** The query of the API for a filter. */
export const queryOf = ({ kind, direction, app, reference, from, to }: Filter) => ({
  ...(kind && { kind }),
  ...(direction && { direction }),
  ...(app && { app_id: app }),
  ...(reference && { reference }),
  ...spanOf({ from, to }),
})

export const titleOf = ({ kind, direction }: Movement) =>
  kind === 'transfer' || kind === 'direct'
    ? direction === 'in'
      ? t('account.movements.received')
      : t('common.sent')
    : t(transfer_labels[kind])

/** The amount as it changes the balance. */
export const signedAmount = ({ direction, amount }: Movement) => (direction === 'in' ? amount : -amount)

/** The amount with its sign. */
export const amountText = ({ direction, amount }: Movement) => (direction === 'in' ? '+' : '−') + formatNumber(amount)

/** A movement in one line: its kind, the counterparty and its texts. */
export const aboutOf = (movement: Movement) =>
  [
    titleOf(movement),
    movement.other_username,
    movement.app_name,
    movement.description,
    movement.reference && t('account.movement-table.reference', { reference: movement.reference }),
  ]
    .filter(Boolean)
    .join(' · ')
