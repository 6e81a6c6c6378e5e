import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { decisions } from '../../../contract/decisions.ts'
import { deleteAccount, exportAccount, getLeaving } from '../../../contract/leaving.ts'
import type { AnswerOf } from '../../api/call.ts'
import { downloadFile } from '../../api/download-file.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { endSession } from '../../session/session.ts'
import { Modal } from '../../ui/dialog.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Leaving = AnswerOf<typeof getLeaving>
const { name_reserved_days } = decisions.leaving

export default function Leave() {
  const leaving = useApiQuery(getLeaving, {})
  return (
    <>
      <PageHead title={t('common.leave-plaza')} about={t('account.leave.take-everything-along-that-is-stored')} />
      <Stack gap="lg" maw={760}>
        <Section
          title={t('account.leave.take-everything-along')}
          about={t('account.leave.one-file-with-all-that-plaza')}
        >
          <DownloadButton
            label={t('account.leave.download-everything-as-json')}
            save={() => downloadFile(exportAccount, {}, `plaza-account-${new Date().toISOString().slice(0, 10)}.json`)}
            done={t('account.leave.the-file-is-saved')}
          />
        </Section>
        <Section title={t('account.leave.delete-your-account')}>
          <QueryResult query={leaving} rows={6}>
            {(lost) => <DeleteAccount lost={lost} />}
          </QueryResult>
        </Section>
      </Stack>
    </>
  )
}

/** The consequences of the deletion, one sentence each. */
function Losses({ lost }: { lost: Leaving }) {
  return (
    <List spacing="xs" size="sm">
      <List.Item>
        {lost.points > 0 ? (
          <RichText k="account.leave.on-your-account-are-lost" strong={<strong>{formatPoints(lost.points)}</strong>} />
        ) : (
          t('account.leave.you-have-no-points-to-lose')
        )}
      </List.Item>
      {lost.apps.map(({ id, app_name, people: count, points }) => (
        <List.Item key={id}>
          <RichText
            k="account.leave.your-app-is-withdrawn"
            strong={<strong className="user-content">{app_name}</strong>}
            count={t('account.leave.count', { count })}
            has_earned={points > 0}
            points={formatPoints(points)}
          />
        </List.Item>
      ))}
      {lost.deployments.map(({ id, subdomain }) => (
        <List.Item key={id}>
          <RichText
            k="account.leave.your-deployment-is-destroyed"
            strong={<strong className="user-content">{subdomain}</strong>}
          />
        </List.Item>
      ))}
      {lost.connected_apps > 0 && (
        <List.Item>
          {t('account.leave.connected-apps-lose-their-access', { connected_apps: formatNumber(lost.connected_apps) })}
        </List.Item>
      )}
      {lost.friends > 0 && (
        <List.Item>
          {t('account.leave.you-are-no-longer-among-your', { friends: formatNumber(lost.friends) })}
        </List.Item>
      )}
    </List>
  )
}

function DeleteAccount({ lost }: { lost: Leaving }) {
  const [opened, { open, close }] = useDisclosure()
  if (lost.is_last_admin)
    return <Alert icon={<Icon name="shield" />}>{t('account.leave.you-are-the-last-admin-of')}</Alert>
  if (lost.last_owner_of.length > 0) return <LastOwner teams={lost.last_owner_of} />
  return (
    <Stack align="flex-start">
      <Text size="sm">{t('account.leave.this-cannot-be-undone-with-your')}</Text>
      <Losses lost={lost} />
      <Text size="sm" c="dimmed">
        {t('account.leave.your-name-address-and-words-are', { days: name_reserved_days })}
      </Text>
      <Button color="red" variant="outline" onClick={open}>
        {t('account.leave.delete-my-account')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('account.leave.delete-your-account-for-good')}>
        <DeleteForm lost={lost} onClose={close} />
      </Modal>
    </Stack>
  )
}

/** Teams whose last owner is the person, and which need another owner first. */
const LastOwner = ({ teams }: { teams: Leaving['last_owner_of'] }) => (
  <Alert icon={<Icon name="users" />}>
    <Text size="sm" mb="xs">
      {t('account.leave.you-are-the-last-owner-of', { count: teams.length })}
    </Text>
    <List size="sm">
      {teams.map(({ id, name }) => (
        <List.Item key={id}>
          <Link to="/teams/$id" params={{ id }} className="user-content">
            {name}
          </Link>
        </List.Item>
      ))}
    </List>
  </Alert>
)

function DeleteForm({ lost, onClose }: { lost: Leaving; onClose: () => void }) {
  const router = useRouter()
  const form = useContractForm(deleteAccount, {
    initial: {},
    onDone: async () => {
      await router.navigate({ to: '/goodbye' })
      endSession()
    },
  })
  return (
    <Form
      form={form}
      intro={
        <>
          <Losses lost={lost} />
          <Text size="sm">{t('account.leave.nobody-can-bring-the-account-back')}</Text>
        </>
      }
      action={t('account.leave.delete-it-for-good')}
      button={{ color: 'red' }}
      cancel={t('account.leave.keep-my-account')}
      onCancel={onClose}
    />
  )
}
