import { Alert, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import classes from './two-factor-setup.module.css'

const fileOf = (codes: readonly string[]) =>
  [`Recovery codes for ${location.host}`, 'Each works once, in place of a two-factor code.', '', ...codes, ''].join(
    '\n',
  )

interface RecoveryCodesProps {
  codes: readonly string[]
  onSaved: () => void
  /** What is on now. */
  done?: string
  /** What they stand in for. */
  lost?: 'your phone' | 'your passkeys'
}

/** Shows the recovery codes once. Navigation is blocked until the user confirms that they are saved. */
export function RecoveryCodes(props: RecoveryCodesProps) {
  const { codes, onSaved, done = 'Two-factor authentication is on.', lost = 'your phone' } = props
  const [saved, setSaved] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useBlocker({
    shouldBlockFn: () => {
      if (!saved) notify('Save your recovery codes first: they are never shown again.')
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
          Save your recovery codes
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          If you lose {lost}, each of these lets you in once. They are shown now and never again: keep them where you
          keep your passwords.
        </Text>
      </div>
      <ul className={classes.recovery} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton text={codes.join('\n')} what="all codes" label="Copy all" />
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={() => download(`${location.hostname}-recovery-codes.txt`, fileOf(codes))}
        >
          Download
        </Button>
      </Group>
      <Checkbox
        label="I have saved these codes"
        checked={saved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <Group>
        <Button onClick={onSaved} disabled={!saved}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
