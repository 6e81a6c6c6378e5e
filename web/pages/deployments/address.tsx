import { ExternalLink } from '../../ui/external-link.tsx'
import { addressOf } from './labels.ts'

/** A link to a deployment, or its hostname where the URL is unknown. */
export const Address = ({ name }: { name: string }) => {
  const address = addressOf(name)
  return address === undefined ? (
    <span className="user-content">{name}</span>
  ) : (
    <ExternalLink address={address}>{address.replace(/^https:\/\//, '')}</ExternalLink>
  )
}
