import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createTestPerson, listTestPersons } from '../../../contract/sandbox.ts'
import { decisions } from '../../../contract/decisions.ts'
import { callApi, callWithToken } from '../../api/call.ts'
import { useRefresh } from '../../api/refresh.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { comeBack, ownSession } from './acting.ts'
import { useSession } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'

import classes from './sandbox.module.css'
import { switchTo, useTestPersons, type TestPerson } from './test-persons.ts'

const { username_min, username_max } = decisions['D-12'].value
const { test_persons_max } = decisions['D-102'].value
const username_rule = `${username_min} to ${username_max} letters, digits, dots, dashes or underscores.`

export default function TestPersons() {
  const list = useTestPersons()
  const own = ownSession()
  return (
    <>
      <PageHead
        title="Test persons"
        about="People whom you play yourself. Sign in as one of them to see your app as they do; the way back is in the banner above every page."
        actions={own && <Button onClick={comeBack}>Back to {own.user.username}</Button>}
      />
      <Stack gap="lg" maw={760}>
        <Section title="Make one">
          <Form />
        </Section>
        <Section>
          <QueryResult query={list} rows={4}>
            {({ persons }) =>
              persons.length === 0 ? (
                <EmptyState icon="users" title="No test persons yet">
                  Each has an account of its own, with points, friends and connected apps.
                </EmptyState>
              ) : (
                <ul className={classes.list} aria-label="Test persons">
                  {persons.map((person) => (
                    <Entry key={person.id} person={person} />
                  ))}
                </ul>
              )
            }
          </QueryResult>
        </Section>
      </Stack>
    </>
  )
}

function Form() {
  const refresh = useRefresh([listTestPersons])
  const { form, field, props, showErrors, busy, failure } = useContractForm(createTestPerson, {
    ignore_unsaved: true,
    initial: { username: '' },
    pattern_messages: { username: username_rule },
    call: (...input) => {
      const own = ownSession()
      return own ? callWithToken(own.token, ...input) : callApi(...input)
    },
    onDone: ({ person }) => {
      refresh()
      form.reset()
      notify(`${person.username} is there.`)
    },
    onError: (error) => {
      if (!('code' in error) || error.code !== 'username_taken') return false
      showErrors({ username: error.message })
      return true
    },
  })
  return (
    <form {...props}>
      <Stack align="flex-start">
        <FailureNote error={failure} />
        <TextInput
          {...field('username')}
          label="Username"
          description={`Or none, for one that is made up. ${username_rule} At most ${test_persons_max} persons.`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          w="100%"
        />
        <Button type="submit" loading={busy}>
          Make a test person
        </Button>
      </Stack>
    </form>
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
    <li className={classes.row}>
      <Text c="dimmed" component="span" lh={1}>
        <Icon name="user" size={22} />
      </Text>
      <div>
        <Group gap="xs">
          <Text fw={550} className="user-content">
            {person.username}
          </Text>
          {is_current && <Badge>You, now</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {formatPoints(person.points)} · made <RelativeTime at={person.inserted_at} />
        </Text>
        <FailureNote error={state.error} />
      </div>
      {!is_current && (
        <Button
          size="xs"
          variant="default"
          loading={state.busy}
          onClick={signIn}
          aria-label={`Sign in as ${person.username}`}
          className={classes.action ?? ''}
        >
          Sign in as {person.username}
        </Button>
      )}
    </li>
  )
}
