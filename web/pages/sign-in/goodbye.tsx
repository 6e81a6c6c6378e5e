import { CardPage } from '../../ui/card-page.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

export default function Goodbye() {
  return (
    <CardPage title={t('sign-in.goodbye.your-account-is-deleted')} about={t('sign-in.goodbye.what-is-left-of-it-is')}>
      <LinkButton to="/" variant="default">
        {t('sign-in.goodbye.to-the-front-page')}
      </LinkButton>
    </CardPage>
  )
}
