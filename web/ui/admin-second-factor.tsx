import { Alert } from '@mantine/core'
import { listPasskeys } from '../../contract/passkeys.ts'
import { useApiQuery } from '../api/hooks.ts'
import { settings } from '../settings.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { LinkButton } from './link.tsx'

/**
 * Above the pages of an admin without an authenticator app: a link to set up a second factor, unless a passkey is one.
 */
export function AdminSecondFactor() {
  const { data } = useApiQuery(listPasskeys, {})
  if (!data || data.second_factor) return null
  const is_required = settings.admin_second_factor === 'required'
  return (
    <Alert
      color={is_required ? 'red' : 'yellow'}
      icon={<Icon name="alert" />}
      title={t('ui.admin-second-factor.title')}
      mb="lg"
    >
      {is_required ? t('ui.admin-second-factor.required') : t('ui.admin-second-factor.advised')}
      <LinkButton to="/account/security" size="xs" variant="default" mt="sm" display="block" w="fit-content">
        {t('common.set-up')}
      </LinkButton>
    </Alert>
  )
}
