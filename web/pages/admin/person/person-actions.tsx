import { Button, Group, Stack, Text } from '@mantine/core'
import { useState, type ComponentProps } from 'react'
import { awardPoints, updateUser } from '../../../../contract/admin.ts'
import { setChatMute } from '../../../../contract/admin-moderation.ts'
import {
  adminEndSessions,
  adminSendVerification,
  confirmSecondFactorProof,
  removeSecondFactor,
  startSecondFactorProof,
} from '../../../../contract/admin-users.ts'
import { May, useMay } from '../../../session/rights.tsx'
import { useSession } from '../../../session/session.ts'
import { Section } from '../../../ui/page-parts.tsx'
import { AwardForm } from '../award-form.tsx'
import { hoursFromNow } from '../case-texts.ts'
import { MuteDuration, ReasonDialog } from '../decision-dialogs.tsx'
import { PersonRoles } from './roles-form.tsx'
import { TierForm } from './tier-form.tsx'
import { person_reads, type Person } from './types.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

/** An admin's actions for or against a person. Each asks for a reason. */
export const PersonActions = ({ person }: { person: Person }) => (
  <Stack key={person.id}>
    <May call={person.is_admin ? updateUser : adminEndSessions}>
      <Section title={t('admin.person-actions.signing-in')}>
        <Stack gap="sm">
          <ActionRow person={person} action={endSessions(person)} />
          {!person.email_verified && <ActionRow person={person} action={mailVerification(person)} />}
          {person.has_second_factor && <SecondFactorActions person={person} />}
        </Stack>
      </Section>
    </May>
    <May call={setChatMute}>
      <Section title={t('admin.person-actions.standing')}>
        <Stack gap="sm">
          <MuteAction person={person} />
          <ActionRow person={person} action={suspension(person)} />
        </Stack>
      </Section>
    </May>
    <PersonRoles person={person} />
    <May call={updateUser}>
      <Section title={t('common.tier')}>
        <TierForm person={person} />
      </Section>
    </May>
    <May call={awardPoints}>
      <Section title={t('common.award-points')}>
        <AwardForm user={person} />
      </Section>
    </May>
  </Stack>
)

/** A text, a button next to it, and the dialog that the button opens. */
interface Action extends Omit<ComponentProps<typeof ReasonDialog>, 'id' | 'invalidates' | 'onClose'> {
  about: string
  label: string
  /** The button is red. */
  danger_label?: boolean
  /** The dialog warns that it affects the admin's own account. */
  notes_self?: boolean
}

function ActionRow({ person: { id, is_admin }, action }: { person: Person; action: Action }) {
  const { about, label, danger_label = false, notes_self = false, children, ...dialog } = action
  const [opened, setOpened] = useState(false)
  const is_self = useSession().session?.user.id === id
  const may = useMay(dialog.endpoint)
  // Only administrators may act on the accounts of admins (D-135).
  const may_over = useMay(is_admin && dialog.endpoint !== setChatMute ? updateUser : dialog.endpoint)
  if (!may || !may_over) return null
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm">{about}</Text>
      <Button variant="default" size="xs" onClick={() => setOpened(true)} {...(danger_label && { c: 'red' })}>
        {label}
      </Button>
      {opened && (
        <ReasonDialog {...dialog} id={id} invalidates={person_reads} onClose={() => setOpened(false)}>
          {children}
          {notes_self && is_self && ` ${t('admin.person-actions.this-is-your-own-account')}`}
        </ReasonDialog>
      )}
    </Group>
  )
}

const endSessions = ({ username }: Person): Action => ({
  about: t('admin.person-actions.signed-in-somewhere-they-should-not'),
  label: t('admin.person-actions.end-all-sessions'),
  endpoint: adminEndSessions,
  title: t('admin.person-actions.sign-out-everywhere', { username }),
  action: t('admin.person-actions.end-all-sessions-2'),
  danger: true,
  done: t('admin.person-actions.is-signed-out-everywhere', { username }),
  children: t('admin.person-actions.all-sessions-of-the-console-end', { username }),
})

const mailVerification = ({ username, email }: Person): Action => ({
  about: t('admin.person-actions.the-address-is-not-verified'),
  label: t('admin.person-actions.mail-the-code-again'),
  endpoint: adminSendVerification,
  title: t('admin.person-actions.mail-the-verification-again', { username }),
  action: t('admin.person-actions.mail-the-code'),
  done: t('admin.person-actions.the-mail-is-on-its-way'),
  children: <RichText k="admin.person-actions.a-new-code-goes-to-one" mark={markOf(email)} />,
})

const markOf = (email: string) => <span className="user-content">{email}</span>

const proof_steps = (): Record<Person['second_factor_proof']['state'], string> => ({
  none: t('admin.person-actions.lost-the-second-factor-first-they'),
  mailed: t('admin.person-actions.a-code-was-mailed-ask-for'),
  confirmed: t('admin.person-actions.the-address-is-proved-the-second'),
})

const mailProof = ({ username, email, second_factor_proof: { state } }: Person): Action => ({
  about: proof_steps()[state],
  label: state === 'none' ? t('admin.person-actions.mail-a-code') : t('admin.person-actions.mail-another-code'),
  endpoint: startSecondFactorProof,
  title: t('admin.person-actions.mail-a-code-that-proves-the', { username }),
  action: t('admin.person-actions.mail-the-code'),
  done: t('admin.person-actions.the-code-is-on-its-way'),
  children: <RichText k="admin.person-actions.a-code-and-a-link-go" mark={markOf(email)} />,
})

const confirmProof = ({ email }: Person): Action => ({
  about: t('admin.person-actions.they-told-you-the-code'),
  label: t('admin.person-actions.enter-the-code'),
  endpoint: confirmSecondFactorProof,
  title: t('admin.person-actions.which-code-did-they-tell-you'),
  with_code: true,
  action: t('admin.person-actions.confirm'),
  done: t('admin.person-actions.the-address-is-proved'),
  children: <RichText k="admin.person-actions.the-8-digits-in-the-mail" mark={markOf(email)} />,
})

const secondFactorRemoval = ({ username }: Person): Action => ({
  about: t('admin.person-actions.they-sign-in-with-the-password'),
  label: t('admin.person-actions.take-the-second-factor-away'),
  danger_label: true,
  endpoint: removeSecondFactor,
  title: t('admin.person-actions.take-the-second-factor-of-away', { username }),
  action: t('admin.person-actions.take-it-away'),
  danger: true,
  done: t('admin.person-actions.the-second-factor-of-is-taken', { username }),
  children: t('admin.person-actions.its-recovery-codes-are-void-too', { username }),
})

function SecondFactorActions({ person }: { person: Person }) {
  const { state } = person.second_factor_proof
  return (
    <>
      <ActionRow person={person} action={mailProof(person)} />
      {state === 'mailed' && <ActionRow person={person} action={confirmProof(person)} />}
      {state === 'confirmed' && <ActionRow person={person} action={secondFactorRemoval(person)} />}
    </>
  )
}

function MuteAction({ person }: { person: Person }) {
  const { username, muted_until } = person
  const [hours, setHours] = useState<string>('24')
  const shared = { endpoint: setChatMute, hint: t('admin.person-actions.reads-it-in-a-mail-kept', { username }) }
  const mute: Action = {
    ...shared,
    about: t('admin.person-actions.may-write-in-chat'),
    label: t('admin.person-actions.mute-in-chat'),
    title: t('admin.person-actions.mute-in-chat-2', { username }),
    body: () => ({ muted_until: hoursFromNow(hours) }),
    action: t('admin.person-actions.mute'),
    done: t('admin.person-actions.is-muted', { username }),
    children: (
      <Stack gap="xs">
        {t('admin.person-actions.they-can-read-meanwhile')}
        <MuteDuration value={hours} onChange={setHours} />
      </Stack>
    ),
  }
  const unmute: Action = {
    ...shared,
    about: t('admin.person-actions.may-read-in-chat-and-not'),
    label: t('admin.person-actions.let-them-write-again'),
    title: t('admin.person-actions.let-write-in-chat-again', { username }),
    body: () => ({ muted_until: null }),
    action: t('admin.person-actions.let-them-write'),
    done: t('admin.person-actions.can-write-again', { username }),
    children: t('admin.person-actions.they-can-write-at-once'),
  }
  return <ActionRow person={person} action={muted_until === null ? mute : unmute} />
}

const suspension = ({ username, suspended }: Person): Action => ({
  endpoint: updateUser,
  body: () => ({ suspended: !suspended }),
  notes_self: true,
  ...(suspended
    ? {
        about: t('admin.person-actions.is-suspended'),
        label: t('admin.person-actions.lift-the-suspension'),
        title: t('admin.person-actions.lift-the-suspension-of', { username }),
        action: t('admin.person-actions.let-them-sign-in'),
        done: t('admin.person-actions.may-sign-in-again', { username }),
        children: t('admin.person-actions.they-can-sign-in-again-at'),
      }
    : {
        about: t('admin.person-actions.may-sign-in'),
        label: t('common.suspend'),
        danger_label: true,
        title: t('admin.person-actions.suspend', { username }),
        action: t('common.suspend-2'),
        danger: true,
        done: t('admin.person-actions.is-suspended-2', { username }),
        children: t('admin.person-actions.all-their-sessions-end-at-once'),
      }),
})
