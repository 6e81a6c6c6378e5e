import { Title, type TitleProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'

let has_user_input = false
for (const type of ['keydown', 'pointerdown']) addEventListener(type, () => (has_user_input = true), { capture: true })

/**
 * Whether the user has pressed a key or a pointer since the console was opened. Before that, scripts do not move the
 * focus.
 */
export const hasUserInput = () => has_user_input

/** Whether no element, or only the content as a whole, has the focus. */
export const isFocusLost = ({ activeElement }: Document) =>
  activeElement === null || activeElement === document.body || activeElement.id === 'content'

/**
 * The heading of a page. It takes the focus if it replaces the focused element (a submitted form, a loading page), but
 * not when the console has just been opened, because Tab then starts at the skip link.
 */
export function PageTitle(props: Omit<TitleProps, 'order'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect, so that a key pressed right after the render does not find the focus moved later.
  useLayoutEffect(() => {
    if (has_user_input && isFocusLost(document)) heading.current?.focus()
  }, [])
  return <Title ref={heading} order={1} tabIndex={-1} {...props} />
}
