import { Anchor, Button, Code, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { Suspense } from 'react'
import { enableTotp, me } from '../../../contract/accounts.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { submitsCode } from '../../forms/submit-code.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import classes from './two-factor-setup.module.css'
import { t } from '../../texts.ts'

const QrCode = lazyComponent(() => import('./qr-code.tsx'))

interface SetupProps {
  secret: string
  uri: string
  onCancel: () => void
  onEnabled: (recovery_codes: readonly string[]) => void
}

/** Shows the key to scan and asks for the first code as proof. */
export const TwoFactorSetup = ({ secret, uri, onCancel, onEnabled }: SetupProps) => (
  <ol className={classes.steps}>
    <li>
      <Text fw={550}>{t('account.two-factor-setup.scan-this-with-your-authenticator-app')}</Text>
      <Group mt="sm" gap="lg" align="flex-start">
        <Suspense fallback={<Skeleton w={208} h={208} />}>
          <QrCode text={uri} label={t('account.two-factor-setup.qr-code-with-the-key-for')} />
        </Suspense>
        <Stack gap="xs" maw={320} align="flex-start">
          <Text size="sm" c="dimmed">
            {t('account.two-factor-setup.no-camera-enter-this-key-by')}
          </Text>
          <Code fz="sm">{secret.match(/.{1,4}/g)?.join(' ')}</Code>
          <CopyButton text={secret} what={t('account.two-factor-setup.the-key')} />
          <Anchor href={uri} size="sm">
            {t('account.two-factor-setup.open-it-in-an-app-on')}
          </Anchor>
        </Stack>
      </Group>
    </li>
    <li>
      <Text fw={550}>{t('account.two-factor-setup.enter-the-six-digits-that-the')}</Text>
      <FirstCode onCancel={onCancel} onEnabled={onEnabled} />
    </li>
    <li>
      <Text fw={550} c="dimmed">
        {t('account.two-factor-setup.save-the-recovery-codes-that-follow')}
      </Text>
    </li>
  </ol>
)

function FirstCode({ onCancel, onEnabled }: Pick<SetupProps, 'onCancel' | 'onEnabled'>) {
  const form = useContractForm(enableTotp, {
    ignore_unsaved: true,
    initial: { code: '' },
    toInput: (body) => ({ body: { ...body, code: body.code.replaceAll(/\s/g, '') } }),
    onDone: ({ recovery_codes }) => onEnabled(recovery_codes),
    invalidates: [me],
    refusals: {
      invalid_code: () => ({ code: t('account.two-factor-setup.this-code-is-not-right-it') }),
    },
  })
  return (
    <Form
      form={form}
      mt="sm"
      gap="sm"
      action={t('account.two-factor-setup.turn-it-on')}
      buttons={
        <Button variant="subtle" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      }
    >
      <TextInput
        {...submitsCode(form.field('code'))}
        label={t('account.two-factor-setup.code')}
        className={classes.code ?? ''}
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
      />
    </Form>
  )
}
