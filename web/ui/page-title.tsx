import { Title, type TitleProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'

let has_user_input = false
for (const type of ['keydown', 'pointerdown']) addEventListener(type, () => (has_user_input = true), { capture: true })

/** Has the user pressed a key or a pointer since the console was opened? Before that, scripts move no focus. */
export const hasUserInput = () => has_user_input

/** Is the focus on no element, or on the content as a whole? */
export const isFocusLost = ({ activeElement }: Document) =>
  activeElement === null || activeElement === document.body || activeElement.id === 'content'

/**
 * The heading of a page. It takes the focus when it replaces the focused element (a submitted form, a loading page), but
 * not when the console has just been opened: Tab starts at the skip link then.
 */
export function PageTitle(props: Omit<TitleProps, 'order'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect: a key pressed right after the render must not find the focus moved later.
  useLayoutEffect(() => {
    if (has_user_input && isFocusLost(document)) heading.current?.focus()
  }, [])
  return <Title ref={heading} order={1} tabIndex={-1} {...props} />
}
