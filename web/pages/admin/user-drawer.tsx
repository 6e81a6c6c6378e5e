import type { AnswerOf } from '../../api/call.ts'
import { Button, Code, Divider, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { adminListUsers, listAudit, updateUser } from '../../../contract/admin.ts'
import { useApiMutation } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { useSession } from '../../session/session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Link } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { AwardForm } from './award-form.tsx'
import { EditDrawer } from './edit-drawer.tsx'
import { useRefresh } from '../../api/refresh.ts'

export type AdminUser = AnswerOf<typeof adminListUsers>['data'][number]

/** A user's details with the admin actions. */
const UserDrawer = ({ user, onClose }: { user: AdminUser | undefined; onClose: () => void }) => (
  <EditDrawer
    opened={user !== undefined}
    onClose={onClose}
    title={user && <span className="user-content">{user.username}</span>}
  >
    {user && (
      <Stack gap="lg" key={user.id}>
        <UserFacts user={user} />
        <Divider />
        <TierForm user={user} />
        <Divider />
        <Rights user={user} />
        <Divider />
        <Stack gap="sm">
          <Title order={3}>Award points</Title>
          <AwardForm user={user} />
        </Stack>
      </Stack>
    )}
  </EditDrawer>
)
export default UserDrawer

const UserFacts = ({ user }: { user: AdminUser }) => (
  <DescriptionList
    items={[
      [
        'E-mail address',
        <span key="email" className="user-content">
          {user.email}
        </span>,
      ],
      ['Verified', user.email_verified ? 'yes' : 'not yet'],
      ['Two-factor', user.totp_enabled ? 'on' : 'off'],
      [
        'Points',
        <span key="points" className="number">
          {formatNumber(user.points)}
        </span>,
      ],
      ['Joined', <RelativeTime key="at" at={user.inserted_at} />],
      ['Registered as', `number ${formatNumber(user.registration_number)}`],
      ['Id', <Code key="id">{user.id}</Code>],
      [
        'History',
        <Link key="log" to="/admin/audit" search={{ target_id: user.id }}>
          Changes to this user
        </Link>,
      ],
    ]}
  />
)

function TierForm({ user }: { user: AdminUser }) {
  const refresh = useRefresh([adminListUsers, listAudit])
  const required = (value: unknown) => (value === '' ? 'Fill this in.' : undefined)
  const { form, field, props, busy, failure } = useContractForm(updateUser, {
    initial: { tier: user.tier, signup_multiplier: user.signup_multiplier as number | string },
    validators: { tier: required, signup_multiplier: required },
    changes_only: true,
    toInput: (body) => ({ params: { id: user.id }, body }),
    onDone: (_, values) => {
      form.resetDirty(values)
      refresh()
      notify('Saved.')
    },
  })
  return (
    <form {...props}>
      <Stack gap="sm">
        <FailureNote error={failure} />
        <TextInput {...field('tier')} label="Tier" />
        <NumberInput
          {...field('signup_multiplier')}
          label="Sign-up multiplier"
          description="Times the points for each person they refer"
          allowDecimal={false}
        />
        <Button type="submit" variant="default" loading={busy} disabled={!form.isDirty()}>
          Save changes
        </Button>
      </Stack>
    </form>
  )
}

type Change = 'suspend' | 'readmit' | 'promote' | 'demote'

/** Confirmation texts of each change. */
const change_texts = {
  suspend: {
    title: (name: string) => `Suspend ${name}?`,
    action: 'Suspend',
    about: 'All their sessions end at once, and they cannot sign in until you lift the suspension. Their points stay.',
    done: (name: string) => `${name} is suspended.`,
    body: { suspended: true },
  },
  readmit: {
    title: (name: string) => `Lift the suspension of ${name}?`,
    action: 'Let them sign in',
    about: 'They can sign in again at once.',
    done: (name: string) => `${name} may sign in again.`,
    body: { suspended: false },
  },
  promote: {
    title: (name: string) => `Make ${name} an admin?`,
    action: 'Make an admin',
    about: 'They may do everything that you may do here: approve apps, award points, read raw messages.',
    done: (name: string) => `${name} is an admin.`,
    body: { is_admin: true },
  },
  demote: {
    title: (name: string) => `Remove the admin right of ${name}?`,
    action: 'Remove the right',
    about: 'They stay a user. Somebody must remain an admin.',
    done: (name: string) => `${name} is no longer an admin.`,
    body: { is_admin: false },
  },
} as const

function Rights({ user }: { user: AdminUser }) {
  const [change, setChange] = useState<Change>()
  const is_own_account = useSession().session?.user.id === user.id
  const update = useApiMutation(updateUser, { invalidates: [adminListUsers, listAudit] })
  const texts = change && change_texts[change]
  const close = () => {
    setChange(undefined)
    update.reset()
  }
  const confirm = () =>
    texts &&
    update.mutate(
      { params: { id: user.id }, body: texts.body },
      {
        onSuccess: () => {
          notify(texts.done(user.username))
          close()
        },
      },
    )
  return (
    <Stack gap="sm">
      <Title order={3}>Rights</Title>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{user.is_admin ? 'Is an admin' : 'Is not an admin'}</Text>
        <Button variant="default" size="xs" onClick={() => setChange(user.is_admin ? 'demote' : 'promote')}>
          {user.is_admin ? 'Remove the admin right…' : 'Make an admin…'}
        </Button>
      </Group>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{user.suspended ? 'Is suspended' : 'May sign in'}</Text>
        <Button
          variant="default"
          size="xs"
          {...(!user.suspended && { c: 'red' })}
          onClick={() => setChange(user.suspended ? 'readmit' : 'suspend')}
        >
          {user.suspended ? 'Lift the suspension…' : 'Suspend…'}
        </Button>
      </Group>
      {texts && (
        <Confirm
          opened
          title={texts.title(user.username)}
          action={texts.action}
          busy={update.isPending}
          error={update.error}
          onClose={close}
          onConfirm={confirm}
        >
          {texts.about}
          {is_own_account && ' This is your own account.'}
        </Confirm>
      )}
    </Stack>
  )
}
