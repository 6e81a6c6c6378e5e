import { Anchor, Button, type AnchorProps } from '@mantine/core'
import { shownAddress } from '../../contract/addresses.ts'
import { Fragment, type HTMLAttributes, type ReactNode } from 'react'
import { t } from '../texts.ts'

/** Whether this is an http or https URL; others, such as `javascript:`, are not linked. */
export const isWebAddress = (address: string | null): address is string =>
  address !== null && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

/**
 * A link to a URL of a user or an app: shown in full unless it has children, opened without a referrer. A URL that is not
 * http or https is shown as text.
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

/** A button that opens an app at the address given by its operator. */
export const OpenApp = ({ name, address }: { name: string; address: string | null }) =>
  isWebAddress(address) && (
    <Button
      component="a"
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      size="xs"
      variant="default"
      aria-label={t('ui.external-link.open-app', { name })}
    >
      {t('ui.external-link.open')}
    </Button>
  )

/** An address as a URL parser reads it; it can wrap after `/`, `.`, `?` and `&`. */
export const Address = ({ children }: { children: string }) =>
  shownAddress(children)
    .split(/(?<=[/.?&])(?![/.])/)
    .map((part, at) => (
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ))
