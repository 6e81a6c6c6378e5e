import { CardPage } from '../../ui/card-page.tsx'
import { LinkButton } from '../../ui/link.tsx'

export default function Goodbye() {
  return (
    <CardPage
      title="Your account is deleted"
      about="What is left of it is erased within minutes. Backups hold it until they are replaced. Thank you for having been here."
    >
      <LinkButton to="/" variant="default">
        To the front page
      </LinkButton>
    </CardPage>
  )
}
