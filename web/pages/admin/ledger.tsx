import { Alert, Button, Code, Group, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { checkLedger } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { Statistics } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'

export default function Ledger() {
  const [checked_at, setCheckedAt] = useState<string>()
  const check = useApiMutation(checkLedger, { onDone: () => setCheckedAt(new Date().toISOString()) })
  return (
    <>
      <PageHead
        title="Ledger check"
        about="Checks that debits equal credits, and that every balance equals the sum of its transfers."
      />
      <Stack>
        <Section>
          <Group justify="space-between" gap="md">
            <Text size="sm" maw={520}>
              The check reads every transfer in one snapshot. With millions of them it takes a while; nothing is locked
              and nothing is changed.
            </Text>
            <Button loading={check.isPending} onClick={() => check.mutate({})}>
              {check.data ? 'Check again' : 'Run the check'}
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
const amount = (text: string) => BigInt(text).toLocaleString('en')

function Result({ result, checked_at }: { result: Check; checked_at: string | undefined }) {
  const { balanced, accounts, transfers, total_debited, total_credited, total_transferred, faults } = result
  return (
    <Section>
      <Alert
        color={balanced ? 'plaza' : 'red'}
        variant="light"
        icon={<Icon name={balanced ? 'check' : 'alert'} />}
        title={balanced ? 'The ledger balances' : 'The ledger does not balance'}
        mb="lg"
      >
        <Text size="sm">
          {balanced
            ? 'No errors were found. Checked '
            : `${faults.length} ${faults.length === 1 ? 'error is' : 'errors are'} listed below. Checked `}
          <RelativeTime at={checked_at} />.
        </Text>
      </Alert>
      <Statistics
        items={[
          ['Accounts', formatNumber(accounts)],
          ['Transfers', formatNumber(transfers)],
          ['Debited', amount(total_debited)],
          ['Credited', amount(total_credited)],
          ['Transferred', amount(total_transferred)],
        ]}
      />
      {faults.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Errors">
          <Table mt="lg">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Account</Table.Th>
                <Table.Th>Error</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {faults.map(({ account_id, fault }) => (
                <Table.Tr key={`${account_id} ${fault}`}>
                  <Table.Td>{account_id ? <Code>{account_id}</Code> : 'the ledger'}</Table.Td>
                  <Table.Td>{fault}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  )
}
