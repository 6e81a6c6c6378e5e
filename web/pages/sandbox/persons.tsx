import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createTestPerson, listTestPersons } from '../../../contract/sandbox.ts'
import { decisions } from '../../../contract/decisions.ts'
import { callApi, callWithToken } from '../../api/call.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { Form } from '../../forms/form.tsx'
import { comeBack, ownSession } from './acting.ts'
import { useSession } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'

import { Row, Rows } from '../../ui/rows.tsx'
import { switchTo, useTestPersons, type TestPerson } from './test-persons.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { username_min, username_max } = decisions.usernames
const { test_persons_max } = decisions.sandbox
const username_rule = () => t('common.to-letters-digits-dots-dashes-or', { username_min, username_max })

export default function TestPersons() {
  const list = useTestPersons()
  const own = ownSession()
  return (
    <>
      <PageHead
        title={t('common.test-persons')}
        about={t('sandbox.persons.people-whom-you-play-yourself-sign')}
        actions={own && <Button onClick={comeBack}>{t('common.back-to', { username: own.user.username })}</Button>}
      />
      <Stack gap="lg" maw={760}>
        <Section title={t('sandbox.persons.make-one')}>
          <NewPerson />
        </Section>
        <Section>
          <QueryResult
            query={list}
            rows={4}
            empty={
              <EmptyState icon="users" title={t('sandbox.persons.no-test-persons-yet')}>
                {t('sandbox.persons.each-has-an-account-of-its')}
              </EmptyState>
            }
          >
            {({ persons }) => (
              <Rows label={t('common.test-persons')}>
                {persons.map((person) => (
                  <Entry key={person.id} person={person} />
                ))}
              </Rows>
            )}
          </QueryResult>
        </Section>
      </Stack>
    </>
  )
}

function NewPerson() {
  const form = useContractForm(createTestPerson, {
    ignore_unsaved: true,
    initial: { username: '' },
    pattern_messages: { username: username_rule() },
    call: (...input) => {
      const own = ownSession()
      return own ? callWithToken(own.token, ...input) : callApi(...input)
    },
    invalidates: [listTestPersons],
    done: ({ person }) => t('sandbox.persons.is-there', { username: person.username }),
    onDone: () => {
      form.form.reset()
    },
    refusals: { username_taken: ({ message }) => ({ username: message }) },
  })
  return (
    <Form form={form} action={t('sandbox.persons.make-a-test-person')}>
      <TextInput
        {...form.field('username')}
        label={t('common.username')}
        description={t('sandbox.persons.or-none-for-one-that-is', {
          username_rule: username_rule(),
          test_persons_max,
        })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}

function Entry({ person }: { person: TestPerson }) {
  const { session } = useSession()
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const is_current = session?.user.id === person.id
  const signIn = () => {
    setState({ busy: true })
    switchTo(person).then(
      () => setState({ busy: false }),
      (error: unknown) => setState({ busy: false, error }),
    )
  }
  return (
    <Row
      lead="user"
      action={
        !is_current && (
          <Button
            size="xs"
            variant="default"
            loading={state.busy}
            onClick={signIn}
            aria-label={t('sandbox.persons.sign-in-as', { username: person.username })}
          >
            {t('sandbox.persons.sign-in-as', { username: person.username })}
          </Button>
        )
      }
    >
      <Group gap="xs">
        <Text fw={550} className="user-content">
          {person.username}
        </Text>
        {is_current && <Badge>{t('sandbox.persons.you-now')}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        <RichText
          k="sandbox.persons.made"
          points={formatPoints(person.points)}
          time={<RelativeTime at={person.inserted_at} />}
        />
      </Text>
      <FailureNote error={state.error} />
    </Row>
  )
}
