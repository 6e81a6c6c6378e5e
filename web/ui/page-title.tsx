import { Title, type TitleProps } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'

let is_in_use = false
for (const sign of ['keydown', 'pointerdown']) addEventListener(sign, () => (is_in_use = true), { capture: true })

/** Has a key or a pointer been used since the console was opened? Until then the keyboard begins at the top. */
export const hasUserInput = () => is_in_use

/** Is the focus lost, or only at the content as a whole? */
const isAdrift = ({ activeElement }: Document) =>
  activeElement === null || activeElement === document.body || activeElement.id === 'content'

/**
 * The heading of a page. Where it takes the place of what had the focus (a form that was sent, a page that was still
 * read), the focus is at it; not when the console has just been opened, since the keyboard begins at the top then.
 */
export function PageTitle(props: Omit<TitleProps, 'order'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  // With the drawing: a key that is pressed right after it has its own way already.
  useLayoutEffect(() => {
    if (is_in_use && isAdrift(document)) heading.current?.focus()
  }, [])
  return <Title ref={heading} order={1} tabIndex={-1} {...props} />
}
