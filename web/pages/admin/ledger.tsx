import { Alert, Box, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { checkLedger } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { locale, t } from '../../texts.ts'

export default function Ledger() {
  const [checked_at, setCheckedAt] = useState<string>()
  const check = useApiMutation(checkLedger, { onDone: () => setCheckedAt(new Date().toISOString()) })
  return (
    <>
      <PageHead title={t('common.ledger-check')} about={t('admin.ledger.checks-that-debits-equal-credits-and')} />
      <Stack>
        <Section>
          <Group justify="space-between" gap="md">
            <Text size="sm" maw={520}>
              {t('admin.ledger.the-check-reads-every-transfer-in')}
            </Text>
            <Button loading={check.isPending} onClick={() => check.mutate({})}>
              {check.data ? t('admin.ledger.check-again') : t('admin.ledger.run-the-check')}
            </Button>
          </Group>
        </Section>
        <FailureNote error={check.error} onRetry={() => check.mutate({})} />
        <div aria-live="polite">{check.data && <Result result={check.data} checked_at={checked_at} />}</div>
      </Stack>
    </>
  )
}

type Check = AnswerOf<typeof checkLedger>

/** Sums are strings: they may exceed the safe integers. */
const amount = (text: string) => BigInt(text).toLocaleString(locale)

function Result({ result, checked_at }: { result: Check; checked_at: string | undefined }) {
  const { balanced, accounts, transfers, total_debited, total_credited, total_transferred, faults } = result
  return (
    <Section>
      <Alert
        color={balanced ? 'plaza' : 'red'}
        variant="light"
        icon={<Icon name={balanced ? 'check' : 'alert'} />}
        title={balanced ? t('admin.ledger.the-ledger-balances') : t('admin.ledger.the-ledger-does-not-balance')}
        mb="lg"
      >
        <Text size="sm">
          {balanced
            ? `${t('admin.ledger.no-errors-were-found-checked')} `
            : `${t('admin.ledger.count-listed-below-checked', { count: faults.length })} `}
          <RelativeTime at={checked_at} />.
        </Text>
      </Alert>
      <Statistics
        items={[
          [t('common.accounts'), formatNumber(accounts)],
          [t('admin.ledger.transfers'), formatNumber(transfers)],
          [t('admin.ledger.debited'), amount(total_debited)],
          [t('admin.ledger.credited'), amount(total_credited)],
          [t('admin.ledger.transferred'), amount(total_transferred)],
        ]}
      />
      {faults.length > 0 && (
        <Box mt="lg">
          <DataTable
            label={t('admin.ledger.errors')}
            rows={faults}
            columns={columns()}
            keyOf={({ account_id, fault }) => `${account_id} ${fault}`}
          />
        </Box>
      )}
    </Section>
  )
}

const columns = (): Column<Check['faults'][number]>[] => [
  {
    head: t('common.account'),
    cell: ({ account_id }) => (account_id ? <Code>{account_id}</Code> : t('admin.ledger.the-ledger')),
  },
  { head: t('admin.ledger.error'), cell: ({ fault }) => fault },
]
