import { Title, type TitleProps } from '@mantine/core'
import { useEffect, useRef } from 'react'

/** Is the focus lost, or only at the content as a whole? */
const isAdrift = ({ activeElement }: Document) =>
  activeElement === null || activeElement === document.body || activeElement.id === 'content'

/**
 * The heading of a page. Where it takes the place of what had the focus (a form that was sent, a page that was still
 * read), the focus is at it; not when the page has just been opened, since the keyboard begins at the top then.
 */
export function PageTitle(props: Omit<TitleProps, 'order'>) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (navigator.userActivation?.hasBeenActive && isAdrift(document)) heading.current?.focus()
  }, [])
  return <Title ref={heading} order={1} tabIndex={-1} {...props} />
}
