export interface Part {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Splits a text into tokens for a comparison: words and the space between them. */
export const wordsOf = (text: string) => text.match(/\s+|\S+/g) ?? []

/**
 * The shortest edit from one list of tokens to another, by their longest common subsequence; neighbours of the same
 * kind form one part.
 */
export function differenceOf(before: readonly string[], after: readonly string[]): Part[] {
  const lengths = lengthsOf(before, after)
  const parts: Part[] = []
  const add = (kind: Part['kind'], text: string) => {
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += text
    else parts.push({ kind, text })
  }
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const is_same = left < before.length && right < after.length && before[left] === after[right]
    const removes =
      right === after.length || (left < before.length && lengths[left + 1]![right]! >= lengths[left]![right + 1]!)
    if (is_same) add('same', before[left]!)
    else if (removes) add('removed', before[left]!)
    else add('added', after[right]!)
    if (is_same || removes) left++
    if (is_same || !removes) right++
  }
  return parts
}

/** For each pair of positions: the length of the longest common subsequence of the tokens from there on. */
function lengthsOf(before: readonly string[], after: readonly string[]) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let left = before.length - 1; left >= 0; left--)
    for (let right = after.length - 1; right >= 0; right--)
      lengths[left]![right] =
        before[left] === after[right]
          ? lengths[left + 1]![right + 1]! + 1
          : Math.max(lengths[left + 1]![right]!, lengths[left]![right + 1]!)
  return lengths
}
