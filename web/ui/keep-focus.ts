let is_kept = false

/** The next navigation leaves the focus where it is: the open navigation of a phone shows another space. */
export const keepFocusOnce = () => void (is_kept = true)

/** Whether the navigation that has just been drawn leaves the focus. Asked once for each. */
export function takeKeptFocus() {
  const kept = is_kept
  is_kept = false
  return kept
}
