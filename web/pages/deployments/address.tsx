import { ForeignLink } from '../../ui/foreign-link.tsx'
import { addressOf } from './labels.ts'

/** A link to a deployment, or its hostname where the URL is unknown. */
export const Address = ({ name }: { name: string }) => {
  const address = addressOf(name)
  return address === undefined ? (
    <span className="foreign">{name}</span>
  ) : (
    <ForeignLink address={address}>{address.replace(/^https:\/\//, '')}</ForeignLink>
  )
}
