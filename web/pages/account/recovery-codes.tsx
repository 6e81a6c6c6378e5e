import { Alert, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import classes from './two-factor-setup.module.css'
import { t } from '../../texts.ts'

const fileOf = (codes: readonly string[]) =>
  [
    t('account.recovery-codes.recovery-codes-for', { host: location.host }),
    t('account.recovery-codes.each-works-once'),
    '',
    ...codes,
    '',
  ].join('\n')

interface RecoveryCodesProps {
  codes: readonly string[]
  onSaved: () => void
  /** The enabled second factors. */
  done?: string
  /** The factor that they replace. */
  lost?: string
}

/** Shows the recovery codes once. Navigation is blocked until the user confirms that they are saved. */
export function RecoveryCodes(props: RecoveryCodesProps) {
  const {
    codes,
    onSaved,
    done = t('account.recovery-codes.two-factor-authentication-is-on'),
    lost = t('account.recovery-codes.your-phone'),
  } = props
  const [saved, setSaved] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useBlocker({
    shouldBlockFn: () => {
      if (!saved) notify(t('account.recovery-codes.save-your-recovery-codes-first-they'), { failed: true })
      return !saved
    },
    enableBeforeUnload: () => !saved,
  })
  return (
    <Stack gap="md">
      <Alert color="plaza" icon={<Icon name="check" />}>
        {done}
      </Alert>
      <div>
        <Title order={3} ref={heading} tabIndex={-1}>
          {t('account.recovery-codes.save-your-recovery-codes')}
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          {t('account.recovery-codes.if-you-lose-each-of-these', { lost })}
        </Text>
      </div>
      <ul className={classes.recovery} aria-label={t('account.recovery-codes.recovery-codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton
          text={codes.join('\n')}
          what={t('account.recovery-codes.all-codes')}
          label={t('account.recovery-codes.copy-all')}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={() => download(`${location.hostname}-recovery-codes.txt`, fileOf(codes))}
        >
          {t('common.download')}
        </Button>
      </Group>
      <Checkbox
        label={t('account.recovery-codes.i-have-saved-these-codes')}
        checked={saved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group>
        <Button onClick={onSaved} disabled={!saved}>
          {t('common.done')}
        </Button>
      </Group>
    </Stack>
  )
}
