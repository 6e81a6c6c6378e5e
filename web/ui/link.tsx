import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink, type RegisteredRouter } from '@tanstack/react-router'
import { forwardRef, type AnchorHTMLAttributes } from 'react'

const AnchorOfRouter = forwardRef<HTMLAnchorElement, AnchorProps & AnchorHTMLAttributes<HTMLAnchorElement>>(
  (props, ref) => <Anchor ref={ref} inherit={props.size === undefined} {...props} />,
)
AnchorOfRouter.displayName = 'AnchorOfRouter'

/** The route paths without parameters. */
export type StaticPath = Exclude<keyof RegisteredRouter['routesByPath'], `${string}$${string}`>

/** A link to a page of the console, type-checked against the routes: `<Link to="/apps/$id" params={{ id }}>`. */
export const Link = createLink(AnchorOfRouter)

type LinkButtonProps = ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>
const ButtonOfRouter = forwardRef<HTMLAnchorElement, LinkButtonProps>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
))
ButtonOfRouter.displayName = 'ButtonOfRouter'

/** A link to another page that looks like a button. */
export const LinkButton = createLink(ButtonOfRouter)
