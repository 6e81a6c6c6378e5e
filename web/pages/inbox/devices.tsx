import { Button, Stack, Switch, Text } from '@mantine/core'
import { forgetDevice, listDevices } from '../../../contract/notice-devices.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'
import { deviceName } from '../../ui/device-name.ts'
import { hasPush, type ThisDevice } from './this-device.ts'

/**
 * The devices that get notices while the console is closed. The browser asks for permission when the button is pressed.
 */
export function Devices({ device }: { device: ThisDevice }) {
  const { is_on, devices, start, stop, is_pending, error } = device
  const others = devices.filter(({ is_this_session }) => !is_this_session)
  return (
    <Section maw={760} mb="md" title={t('inbox.devices.on-your-devices')} about={t('inbox.devices.about')}>
      <Stack align="flex-start">
        {hasPush ? (
          <Button variant={is_on ? 'default' : 'filled'} loading={is_pending} onClick={is_on ? stop : start}>
            {is_on ? t('inbox.devices.stop') : t('inbox.devices.start')}
          </Button>
        ) : (
          <Text size="sm">{t('inbox.devices.unsupported')}</Text>
        )}
        {is_on && (
          <Switch
            label={t('inbox.devices.show-texts')}
            description={t('inbox.devices.about-texts')}
            checked={device.with_texts}
            onChange={(event) => device.showTexts(event.currentTarget.checked)}
          />
        )}
        <FailureNote error={error} />
      </Stack>
      {others.length > 0 && (
        <Rows label={t('inbox.devices.other-devices')}>
          {others.map((other) => (
            <Other key={other.id} device={other} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Other({ device: { id, user_agent, inserted_at } }: { device: ThisDevice['devices'][number] }) {
  const forget = useApiMutation(forgetDevice, { invalidates: [listDevices] })
  return (
    <Row
      lead="screen"
      action={
        <Button
          size="xs"
          variant="default"
          loading={forget.isPending}
          onClick={() => forget.mutate({ params: { id } })}
        >
          {t('common.remove', { name: deviceName(user_agent) })}
        </Button>
      }
    >
      <Text fw={550}>{deviceName(user_agent)}</Text>
      <Text size="sm" c="dimmed">
        <RelativeTime at={inserted_at} />
      </Text>
      <FailureNote error={forget.error} />
    </Row>
  )
}
