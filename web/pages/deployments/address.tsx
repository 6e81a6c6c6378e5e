import { ForeignLink } from '../../ui/foreign-link.tsx'
import { addressOf } from './words.ts'

/** Where visitors find a deployment: a link, or the bare name where the address of the proxy is not known. */
export const Address = ({ name }: { name: string }) => {
  const address = addressOf(name)
  return address === undefined ? (
    <span className="foreign">{name}</span>
  ) : (
    <ForeignLink address={address}>{address.replace(/^https:\/\//, '')}</ForeignLink>
  )
}
