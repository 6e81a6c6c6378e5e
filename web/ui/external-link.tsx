import { Anchor, type AnchorProps } from '@mantine/core'
import { Fragment, type HTMLAttributes, type ReactNode } from 'react'

/** May this address be followed? Only one of the web: what an app says about itself is not ours. */
export const isWebAddress = (address: string | null): address is string =>
  address !== null && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

/**
 * A link that somebody else chose: shown in full unless there are words for it, opened without telling from where. What
 * is no address of the web is text.
 */
export const ExternalLink = ({
  address,
  children,
  ...rest
}: { address: string; children?: ReactNode } & AnchorProps & Pick<HTMLAttributes<HTMLElement>, 'title' | 'dir'>) =>
  isWebAddress(address) ? (
    <Anchor
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="user-content"
      inherit
      {...rest}
    >
      {children ?? <Address>{address}</Address>}
    </Anchor>
  ) : (
    <span className="user-content">
      <Address>{address}</Address>
    </span>
  )

/** An address that breaks between its parts rather than in a word. */
export const Address = ({ children }: { children: string }) =>
  children.split(/(?<=[/.?&])(?![/.])/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
