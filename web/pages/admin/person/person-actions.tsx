import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { updateUser } from '../../../../contract/admin.ts'
import { setChatMute } from '../../../../contract/admin-moderation.ts'
import {
  adminEndSessions,
  adminSendVerification,
  confirmSecondFactorProof,
  removeSecondFactor,
  startSecondFactorProof,
} from '../../../../contract/admin-users.ts'
import { useRefresh } from '../../../api/refresh.ts'
import { useSession } from '../../../session/session.ts'
import { notify } from '../../../ui/notify.tsx'
import { Section } from '../../../ui/page-parts.tsx'
import { AwardForm } from '../award-form.tsx'
import { hoursFromNow, mute_durations } from '../case-texts.ts'
import { ReasonForm } from '../reason-form.tsx'
import { TierForm } from './tier-form.tsx'
import { person_reads, type Person } from './types.ts'

/** What can be done for a person, and to them. Each asks for a reason. */
export const PersonActions = ({ person }: { person: Person }) => (
  <Stack key={person.id}>
    <Section title="Signing in">
      <Stack gap="sm">
        <SessionsAction person={person} />
        {!person.email_verified && <VerificationAction person={person} />}
        {person.has_second_factor && <SecondFactorActions person={person} />}
      </Stack>
    </Section>
    <Section title="Standing">
      <Stack gap="sm">
        <MuteAction person={person} />
        <SuspensionAction person={person} />
        <AdminAction person={person} />
      </Stack>
    </Section>
    <Section title="Tier">
      <TierForm person={person} />
    </Section>
    <Section title="Award points">
      <AwardForm user={person} />
    </Section>
  </Stack>
)

interface ActionRowProps {
  about: ReactNode
  label: string
  danger?: boolean
  /** The dialog, which is closed by the function. */
  children: (close: () => void) => ReactNode
}

function ActionRow({ about, label, danger = false, children }: ActionRowProps) {
  const [opened, setOpened] = useState(false)
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">{about}</Text>
      <Button variant="default" size="xs" onClick={() => setOpened(true)} {...(danger && { c: 'red' })}>
        {label}
      </Button>
      {opened && children(() => setOpened(false))}
    </Group>
  )
}

/** After an action: the person is read again, and what was done is said. */
function useDone() {
  const refresh = useRefresh(person_reads)
  return (text: string) => () => {
    refresh()
    notify(text)
  }
}

function SessionsAction({ person: { id, username } }: { person: Person }) {
  const done = useDone()
  return (
    <ActionRow about="Signed in somewhere they should not be?" label="End all sessions…">
      {(close) => (
        <ReasonForm
          endpoint={adminEndSessions}
          id={id}
          title={`Sign ${username} out everywhere?`}
          action="End all sessions"
          danger
          onDone={done(`${username} is signed out everywhere.`)}
          onClose={close}
        >
          All sessions of the console end at once. Connected apps stay connected, and {username} can sign in again.
        </ReasonForm>
      )}
    </ActionRow>
  )
}

function VerificationAction({ person: { id, username, email } }: { person: Person }) {
  const done = useDone()
  return (
    <ActionRow about="The address is not verified." label="Mail the code again…">
      {(close) => (
        <ReasonForm
          endpoint={adminSendVerification}
          id={id}
          title={`Mail ${username} the verification again?`}
          action="Mail the code"
          onDone={done('The mail is on its way.')}
          onClose={close}
        >
          A new code goes to <span className="user-content">{email}</span>. One from before is void then.
        </ReasonForm>
      )}
    </ActionRow>
  )
}

const proof_steps = {
  none: 'Lost the second factor? First they prove that the address is theirs.',
  mailed: 'A code was mailed. Ask for it, or wait until they open the link.',
  confirmed: 'The address is proved. The second factor can be taken away.',
}

function SecondFactorActions({ person }: { person: Person }) {
  const { id, username, email, second_factor_proof } = person
  const done = useDone()
  const { state } = second_factor_proof
  return (
    <>
      <ActionRow about={proof_steps[state]} label={state === 'none' ? 'Mail a code…' : 'Mail another code…'}>
        {(close) => (
          <ReasonForm
            endpoint={startSecondFactorProof}
            id={id}
            title={`Mail ${username} a code that proves the address?`}
            action="Mail the code"
            onDone={done('The code is on its way.')}
            onClose={close}
          >
            A code and a link go to <span className="user-content">{email}</span>. Nothing is taken away by it.
          </ReasonForm>
        )}
      </ActionRow>
      {state === 'mailed' && (
        <ActionRow about="They told you the code." label="Enter the code…">
          {(close) => (
            <ReasonForm
              endpoint={confirmSecondFactorProof}
              id={id}
              title="Which code did they tell you?"
              with_code
              action="Confirm"
              onDone={done('The address is proved.')}
              onClose={close}
            >
              The 8 digits in the mail to <span className="user-content">{email}</span>. After a few wrong ones another
              has to be mailed.
            </ReasonForm>
          )}
        </ActionRow>
      )}
      {state === 'confirmed' && (
        <ActionRow about="They sign in with the password alone afterwards." label="Take the second factor away…" danger>
          {(close) => (
            <ReasonForm
              endpoint={removeSecondFactor}
              id={id}
              title={`Take the second factor of ${username} away?`}
              action="Take it away"
              danger
              onDone={done(`The second factor of ${username} is taken away.`)}
              onClose={close}
            >
              Its recovery codes are void too, and all sessions end. A mail tells {username}.
            </ReasonForm>
          )}
        </ActionRow>
      )}
    </>
  )
}

function MuteAction({ person: { id, username, muted_until } }: { person: Person }) {
  const [hours, setHours] = useState<string>('24')
  const done = useDone()
  const mutes = muted_until === null
  return (
    <ActionRow
      about={mutes ? 'May write in chat' : 'May read in chat, and not write'}
      label={mutes ? 'Mute in chat…' : 'Let them write again…'}
    >
      {(close) => (
        <ReasonForm
          endpoint={setChatMute}
          id={id}
          title={mutes ? `Mute ${username} in chat?` : `Let ${username} write in chat again?`}
          body={() => ({ muted_until: mutes ? hoursFromNow(hours) : null })}
          hint={`${username} reads it in a mail. Kept in the audit log.`}
          action={mutes ? 'Mute' : 'Let them write'}
          onDone={done(mutes ? `${username} is muted.` : `${username} can write again.`)}
          onClose={close}
        >
          {mutes ? (
            <Stack gap="xs">
              They can read meanwhile.
              <SegmentedControl
                size="xs"
                aria-label="How long"
                value={hours}
                onChange={setHours}
                data={[...mute_durations]}
              />
            </Stack>
          ) : (
            'They can write at once.'
          )}
        </ReasonForm>
      )}
    </ActionRow>
  )
}

function SuspensionAction({ person: { id, username, suspended } }: { person: Person }) {
  const done = useDone()
  const own_note = useOwnNote(id)
  return (
    <ActionRow
      about={suspended ? 'Is suspended' : 'May sign in'}
      label={suspended ? 'Lift the suspension…' : 'Suspend…'}
      danger={!suspended}
    >
      {(close) => (
        <ReasonForm
          endpoint={updateUser}
          id={id}
          title={suspended ? `Lift the suspension of ${username}?` : `Suspend ${username}?`}
          body={() => ({ suspended: !suspended })}
          action={suspended ? 'Let them sign in' : 'Suspend'}
          danger={!suspended}
          onDone={done(suspended ? `${username} may sign in again.` : `${username} is suspended.`)}
          onClose={close}
        >
          {suspended
            ? 'They can sign in again at once.'
            : 'All their sessions end at once, and they cannot sign in until you lift the suspension. Their points stay.'}
          {own_note}
        </ReasonForm>
      )}
    </ActionRow>
  )
}

function AdminAction({ person: { id, username, is_admin } }: { person: Person }) {
  const done = useDone()
  const own_note = useOwnNote(id)
  return (
    <ActionRow
      about={is_admin ? 'Is an admin' : 'Is not an admin'}
      label={is_admin ? 'Remove the admin right…' : 'Make an admin…'}
    >
      {(close) => (
        <ReasonForm
          endpoint={updateUser}
          id={id}
          title={is_admin ? `Remove the admin right of ${username}?` : `Make ${username} an admin?`}
          body={() => ({ is_admin: !is_admin })}
          action={is_admin ? 'Remove the right' : 'Make an admin'}
          danger={is_admin}
          onDone={done(is_admin ? `${username} is no longer an admin.` : `${username} is an admin.`)}
          onClose={close}
        >
          {is_admin
            ? 'They stay a user. Somebody must remain an admin.'
            : 'They may do everything that you may do here: approve apps, award points, read raw messages.'}
          {own_note}
        </ReasonForm>
      )}
    </ActionRow>
  )
}

const useOwnNote = (id: string) => (useSession().session?.user.id === id ? ' This is your own account.' : '')
