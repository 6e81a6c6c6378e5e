let is_kept = false

/** Makes the next navigation keep the focus: the open navigation of a phone shows another space. */
export const keepFocusOnce = () => void (is_kept = true)

/** Whether the last navigation keeps the focus. Read once for each. */
export function takeKeptFocus() {
  const kept = is_kept
  is_kept = false
  return kept
}
