import { Text } from '@mantine/core'
import type { me } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import type { IconName } from '../../ui/icon.tsx'
import { LinkButton, type StaticPath } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { LeadIcon, Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'

type Me = AnswerOf<typeof me>['user']

interface Step {
  icon: IconName
  title: string
  why: string
  to: StaticPath
  action: string
}

const stepsFor = ({ email, email_verified, totp_enabled }: Me): Step[] => [
  ...(email_verified
    ? []
    : [
        {
          icon: 'mail',
          title: t('common.verify-your-e-mail-address'),
          why: t('account.next-steps.enter-the-code-that-was-mailed', { email }),
          to: '/verify-email',
          action: t('account.next-steps.enter-the-code'),
        } as const,
      ]),
  ...(totp_enabled
    ? []
    : [
        {
          icon: 'shield',
          title: t('account.next-steps.turn-on-two-factor-authentication'),
          why: t('account.next-steps.then-a-stolen-password-alone-does'),
          to: '/account/security',
          action: t('common.set-it-up'),
        } as const,
      ]),
]

/** The open setup steps of the account, most urgent first. Renders nothing when all are done. */
export function NextSteps({ user }: { user: Me }) {
  const steps = stepsFor(user)
  if (steps.length === 0) return null
  return (
    <Section title={t('common.what-to-do-next')}>
      <Rows>
        {steps.map(({ icon, title, why, to, action }, at) => (
          <Row
            key={to}
            lead={{ element: <LeadIcon name={icon} c="var(--mantine-color-anchor)" /> }}
            action={
              <LinkButton to={to} size="xs" variant={at === 0 ? 'filled' : 'default'}>
                {action}
              </LinkButton>
            }
          >
            <Text fw={550}>{title}</Text>
            <Text size="sm" c="dimmed">
              {why}
            </Text>
          </Row>
        ))}
      </Rows>
    </Section>
  )
}
