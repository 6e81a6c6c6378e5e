import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { locale, t } from '../../texts.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { ReportDialog } from '../people/report-button.tsx'
import { signedAmount, titleOf, type Movement } from './movements.ts'

const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium' })

/** One movement of a person's points, with advice if it looks wrong. */
export function MovementDrawer({ movement, onClose }: { movement: Movement | undefined; onClose: () => void }) {
  // The content stays while the drawer closes.
  const [shown, setShown] = useState(movement)
  if (movement && movement !== shown) setShown(movement)
  return (
    <Drawer
      opened={movement !== undefined}
      onClose={onClose}
      position="right"
      title={t('account.movement-drawer.movement')}
    >
      {shown && <Detail key={shown.id + shown.direction} movement={shown} />}
    </Drawer>
  )
}

function Detail({ movement }: { movement: Movement }) {
  const { id, app_name, other_username, description, reference, refunded_transfer_id, inserted_at } = movement
  const content = (text: string) => <span className="user-content">{text}</span>
  const amount = signedAmount(movement)
  return (
    <Stack>
      <DescriptionList
        items={[
          [t('common.what'), titleOf(movement)],
          [t('common.points'), `${amount > 0 ? '+' : '−'}${formatNumber(Math.abs(amount))}`],
          other_username !== null && [t('common.person'), content(other_username)],
          app_name !== null && [t('common.app'), content(app_name)],
          [t('common.when'), moment.format(new Date(inserted_at))],
          description !== null && [t('common.description'), content(description)],
          reference !== null && [t('common.reference'), content(reference)],
          refunded_transfer_id !== null && [
            t('account.movement-drawer.returns-the-payment'),
            content(refunded_transfer_id),
          ],
          [t('common.balance-after'), formatNumber(movement.points_after)],
        ]}
      />
      <Group>
        <CopyButton
          text={id}
          what={t('account.movement-drawer.the-id-of-the-movement')}
          label={t('account.movement-drawer.copy-the-id')}
        />
      </Group>
      <SomethingWrong movement={movement} />
    </Stack>
  )
}

function SomethingWrong({ movement: { app_name, other_user_id, other_username } }: { movement: Movement }) {
  const [reporting, setReporting] = useState(false)
  return (
    <Section title={t('account.movement-drawer.something-wrong')} p="md">
      {app_name !== null ? (
        <Text size="sm">
          <RichText
            k="account.movement-drawer.ask-the-app-first"
            app={<bdi>{app_name}</bdi>}
            link={(part) => <Link to="/connected-apps">{part}</Link>}
          />
        </Text>
      ) : other_user_id !== null && other_username !== null ? (
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{t('account.movement-drawer.ask-the-person-first')}</Text>
          <Button size="xs" variant="default" onClick={() => setReporting(true)}>
            {t('people.friend-row.report', { username: other_username })}
          </Button>
          {reporting && (
            <ReportDialog
              about={{ user_id: other_user_id }}
              username={other_username}
              onClose={() => setReporting(false)}
            />
          )}
        </Stack>
      ) : (
        <Text size="sm">{t('account.movement-drawer.ask-an-admin')}</Text>
      )}
    </Section>
  )
}
