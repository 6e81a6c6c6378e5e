import { Box, Text } from '@mantine/core'
import type { me } from '../../../contract/accounts.ts'
import type { AnswerOf } from '../../api/call.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { LinkButton, type StaticPath } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import classes from './next-steps.module.css'
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
      <ol className={classes.steps}>
        {steps.map(({ icon, title, why, to, action }, at) => (
          <li key={to} className={classes.step}>
            <span className={classes.mark}>
              <Icon name={icon} size={22} />
            </span>
            <Box miw={0}>
              <Text fw={550}>{title}</Text>
              <Text size="sm" c="dimmed">
                {why}
              </Text>
            </Box>
            <LinkButton to={to} size="xs" variant={at === 0 ? 'filled' : 'default'} className={classes.action ?? ''}>
              {action}
            </LinkButton>
          </li>
        ))}
      </ol>
    </Section>
  )
}
