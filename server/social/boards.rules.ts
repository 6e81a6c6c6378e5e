import type { Static } from 'typebox'
import type { board_place } from '../../contract/boards.ts'
import { decisions } from '../../contract/decisions.ts'

const { counted_max } = decisions.boards

/** A person on the board of a path. */
export interface Learner extends Omit<Static<typeof board_place>, 'rank'> {
  reached_at: Date
}

/**
 * The other people on a board: the first ones, and those next to the person's own place, each in the order of the
 * board.
 */
export interface Others {
  first: readonly Learner[]
  ahead: readonly Learner[]
  behind: readonly Learner[]
  /** The number of people ahead, up to `counted_max`. */
  ahead_count: number
}

/** The order of a board: more steps first, then who reached them earlier (D-163). */
const compareLearners = (one: Learner, other: Learner) =>
  other.steps - one.steps || Number(one.reached_at) - Number(other.reached_at) || (one.user_id < other.user_id ? -1 : 1)

/**
 * The places that a person sees: the first ones, and their own with its neighbours. `me` is undefined until a step is
 * completed.
 */
export function placesOf(me: Learner | undefined, { first, ahead, behind, ahead_count }: Others) {
  const ranks = new Map<Learner['user_id'], Learner & { rank: number | null }>()
  const add = (learner: Learner, others_before: number) => {
    if (ranks.has(learner.user_id)) return
    const rank = others_before + (me && me !== learner && others_before >= ahead_count ? 2 : 1)
    ranks.set(learner.user_id, {
      ...learner,
      rank: ahead_count < counted_max || others_before < first.length ? rank : null,
    })
  }
  first.forEach(add)
  if (me) {
    ahead.forEach((learner, at) => add(learner, ahead_count - ahead.length + at))
    add(me, ahead_count)
    behind.forEach((learner, at) => add(learner, ahead_count + at))
  }
  return [...ranks.values()].toSorted(compareLearners).map(({ reached_at: _, ...place }) => place)
}

/** The others, from a complete list. */
export function othersOf(
  me: Learner | undefined,
  others: readonly Learner[],
  first_max: number,
  neighbours: number,
): Others {
  const sorted = others.toSorted(compareLearners)
  const ahead_count = me ? sorted.filter((learner) => compareLearners(learner, me) < 0).length : 0
  return {
    first: sorted.slice(0, first_max),
    ahead: sorted.slice(Math.max(0, ahead_count - neighbours), ahead_count),
    behind: sorted.slice(ahead_count, ahead_count + neighbours),
    ahead_count,
  }
}
