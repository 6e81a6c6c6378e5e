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
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

/** What can be done for a person, and to them. Each asks for a reason. */
export const PersonActions = ({ person }: { person: Person }) => (
  <Stack key={person.id}>
    <Section title={t('admin.person-actions.signing-in')}>
      <Stack gap="sm">
        <SessionsAction person={person} />
        {!person.email_verified && <VerificationAction person={person} />}
        {person.has_second_factor && <SecondFactorActions person={person} />}
      </Stack>
    </Section>
    <Section title={t('admin.person-actions.standing')}>
      <Stack gap="sm">
        <MuteAction person={person} />
        <SuspensionAction person={person} />
        <AdminAction person={person} />
      </Stack>
    </Section>
    <Section title={t('common.tier')}>
      <TierForm person={person} />
    </Section>
    <Section title={t('common.award-points')}>
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
    <ActionRow
      about={t('admin.person-actions.signed-in-somewhere-they-should-not')}
      label={t('admin.person-actions.end-all-sessions')}
    >
      {(close) => (
        <ReasonForm
          endpoint={adminEndSessions}
          id={id}
          title={t('admin.person-actions.sign-out-everywhere', { username })}
          action={t('admin.person-actions.end-all-sessions-2')}
          danger
          onDone={done(t('admin.person-actions.is-signed-out-everywhere', { username }))}
          onClose={close}
        >
          {t('admin.person-actions.all-sessions-of-the-console-end', { username })}
        </ReasonForm>
      )}
    </ActionRow>
  )
}

function VerificationAction({ person: { id, username, email } }: { person: Person }) {
  const done = useDone()
  return (
    <ActionRow
      about={t('admin.person-actions.the-address-is-not-verified')}
      label={t('admin.person-actions.mail-the-code-again')}
    >
      {(close) => (
        <ReasonForm
          endpoint={adminSendVerification}
          id={id}
          title={t('admin.person-actions.mail-the-verification-again', { username })}
          action={t('admin.person-actions.mail-the-code')}
          onDone={done(t('admin.person-actions.the-mail-is-on-its-way'))}
          onClose={close}
        >
          <RichText
            k="admin.person-actions.a-new-code-goes-to-one"
            mark={<span className="user-content">{email}</span>}
          />
        </ReasonForm>
      )}
    </ActionRow>
  )
}

const proof_steps = () => ({
  none: t('admin.person-actions.lost-the-second-factor-first-they'),
  mailed: t('admin.person-actions.a-code-was-mailed-ask-for'),
  confirmed: t('admin.person-actions.the-address-is-proved-the-second'),
})

function SecondFactorActions({ person }: { person: Person }) {
  const { id, username, email, second_factor_proof } = person
  const done = useDone()
  const { state } = second_factor_proof
  return (
    <>
      <ActionRow
        about={proof_steps()[state]}
        label={state === 'none' ? t('admin.person-actions.mail-a-code') : t('admin.person-actions.mail-another-code')}
      >
        {(close) => (
          <ReasonForm
            endpoint={startSecondFactorProof}
            id={id}
            title={t('admin.person-actions.mail-a-code-that-proves-the', { username })}
            action={t('admin.person-actions.mail-the-code')}
            onDone={done(t('admin.person-actions.the-code-is-on-its-way'))}
            onClose={close}
          >
            <RichText
              k="admin.person-actions.a-code-and-a-link-go"
              mark={<span className="user-content">{email}</span>}
            />
          </ReasonForm>
        )}
      </ActionRow>
      {state === 'mailed' && (
        <ActionRow
          about={t('admin.person-actions.they-told-you-the-code')}
          label={t('admin.person-actions.enter-the-code')}
        >
          {(close) => (
            <ReasonForm
              endpoint={confirmSecondFactorProof}
              id={id}
              title={t('admin.person-actions.which-code-did-they-tell-you')}
              with_code
              action={t('admin.person-actions.confirm')}
              onDone={done(t('admin.person-actions.the-address-is-proved'))}
              onClose={close}
            >
              <RichText
                k="admin.person-actions.the-8-digits-in-the-mail"
                mark={<span className="user-content">{email}</span>}
              />
            </ReasonForm>
          )}
        </ActionRow>
      )}
      {state === 'confirmed' && (
        <ActionRow
          about={t('admin.person-actions.they-sign-in-with-the-password')}
          label={t('admin.person-actions.take-the-second-factor-away')}
          danger
        >
          {(close) => (
            <ReasonForm
              endpoint={removeSecondFactor}
              id={id}
              title={t('admin.person-actions.take-the-second-factor-of-away', { username })}
              action={t('admin.person-actions.take-it-away')}
              danger
              onDone={done(t('admin.person-actions.the-second-factor-of-is-taken', { username }))}
              onClose={close}
            >
              {t('admin.person-actions.its-recovery-codes-are-void-too', { username })}
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
      about={mutes ? t('admin.person-actions.may-write-in-chat') : t('admin.person-actions.may-read-in-chat-and-not')}
      label={mutes ? t('admin.person-actions.mute-in-chat') : t('admin.person-actions.let-them-write-again')}
    >
      {(close) => (
        <ReasonForm
          endpoint={setChatMute}
          id={id}
          title={
            mutes
              ? t('admin.person-actions.mute-in-chat-2', { username })
              : t('admin.person-actions.let-write-in-chat-again', { username })
          }
          body={() => ({ muted_until: mutes ? hoursFromNow(hours) : null })}
          hint={t('admin.person-actions.reads-it-in-a-mail-kept', { username })}
          action={mutes ? t('admin.person-actions.mute') : t('admin.person-actions.let-them-write')}
          onDone={done(
            mutes
              ? t('admin.person-actions.is-muted', { username })
              : t('admin.person-actions.can-write-again', { username }),
          )}
          onClose={close}
        >
          {mutes ? (
            <Stack gap="xs">
              {t('admin.person-actions.they-can-read-meanwhile')}
              <SegmentedControl
                size="xs"
                aria-label={t('common.how-long')}
                value={hours}
                onChange={setHours}
                data={[...mute_durations()]}
              />
            </Stack>
          ) : (
            t('admin.person-actions.they-can-write-at-once')
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
      about={suspended ? t('admin.person-actions.is-suspended') : t('admin.person-actions.may-sign-in')}
      label={suspended ? t('admin.person-actions.lift-the-suspension') : t('common.suspend')}
      danger={!suspended}
    >
      {(close) => (
        <ReasonForm
          endpoint={updateUser}
          id={id}
          title={
            suspended
              ? t('admin.person-actions.lift-the-suspension-of', { username })
              : t('admin.person-actions.suspend', { username })
          }
          body={() => ({ suspended: !suspended })}
          action={suspended ? t('admin.person-actions.let-them-sign-in') : t('common.suspend-2')}
          danger={!suspended}
          onDone={done(
            suspended
              ? t('admin.person-actions.may-sign-in-again', { username })
              : t('admin.person-actions.is-suspended-2', { username }),
          )}
          onClose={close}
        >
          {suspended
            ? t('admin.person-actions.they-can-sign-in-again-at')
            : t('admin.person-actions.all-their-sessions-end-at-once')}
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
      about={is_admin ? t('admin.person-actions.is-an-admin') : t('admin.person-actions.is-not-an-admin')}
      label={is_admin ? t('admin.person-actions.remove-the-admin-right') : t('admin.person-actions.make-an-admin')}
    >
      {(close) => (
        <ReasonForm
          endpoint={updateUser}
          id={id}
          title={
            is_admin
              ? t('admin.person-actions.remove-the-admin-right-of', { username })
              : t('admin.person-actions.make-an-admin-2', { username })
          }
          body={() => ({ is_admin: !is_admin })}
          action={is_admin ? t('admin.person-actions.remove-the-right') : t('admin.person-actions.make-an-admin-3')}
          danger={is_admin}
          onDone={done(
            is_admin
              ? t('admin.person-actions.is-no-longer-an-admin', { username })
              : t('admin.person-actions.is-an-admin-2', { username }),
          )}
          onClose={close}
        >
          {is_admin
            ? t('admin.person-actions.they-stay-a-user-somebody-must')
            : t('admin.person-actions.they-may-do-everything-that-you')}
          {own_note}
        </ReasonForm>
      )}
    </ActionRow>
  )
}

const useOwnNote = (id: string) =>
  useSession().session?.user.id === id ? ` ${t('admin.person-actions.this-is-your-own-account')}` : ''
