/**
 * Scrolls an element into view, as little as needed. Unlike `Element.scrollIntoView`, it does not move the starting point
 * of sequential focus navigation.
 */
export function scrollToElement(element: Element | null | undefined) {
  for (let box = element?.parentElement; element && box; box = box.parentElement) {
    const root = box === document.documentElement
    if (!root && !/auto|scroll/.test(getComputedStyle(box).overflowY)) continue
    const { top, bottom } = root ? { top: 0, bottom: window.innerHeight } : box.getBoundingClientRect()
    const place = element.getBoundingClientRect()
    if (place.top < top) box.scrollTop -= top - place.top
    else if (place.bottom > bottom) box.scrollTop += Math.min(place.bottom - bottom, place.top - top)
  }
}
