import { Button, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { includesRole } from '../../../contract/kinds/member-roles.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { listTeams, moveApp } from '../../../contract/teams.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PersonPicker } from '../people/person-picker.tsx'
import type { MyApp } from './access.ts'
import { t } from '../../texts.ts'

/** Moves an app to a team, or offers it to a person. */
export default function AppOwner({ app }: { app: MyApp }) {
  const [team_id, setTeam] = useState('')
  const [user_id, setPerson] = useState('')
  const teams = useApiQuery(listTeams, {}).data?.teams ?? []
  const others = teams.filter(({ id, role }) => id !== app.team_id && includesRole(role, 'admin'))
  const move = useApiMutation(moveApp, {
    invalidates: [listMyApps, listTeams],
    onDone: ({ offer_expires_at }) =>
      notify(offer_expires_at === null ? t('build.app-owner.moved') : t('build.app-owner.offered')),
  })
  const send = (body: { team_id: string } | { user_id: string }) => move.mutate({ params: { id: app.id }, body })
  return (
    <Section maw={760} title={t('build.app-owner.owner')} about={t('build.app-owner.about')}>
      <Stack align="flex-start">
        <Text size="sm">
          {app.team_name === null ? t('build.app-owner.is-yours') : t('build.app-owner.is-of', { team: app.team_name })}
        </Text>
        {others.length > 0 && (
          <NativeSelect
            label={t('build.app-owner.team')}
            value={team_id}
            onChange={(event) => setTeam(event.currentTarget.value)}
            data={[
              { value: '', label: t('build.app-owner.choose') },
              ...others.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        {team_id !== '' && (
          <Button loading={move.isPending} onClick={() => send({ team_id })}>
            {t('build.app-owner.move')}
          </Button>
        )}
        <PersonPicker
          friends_only={false}
          label={t('build.app-owner.person')}
          value={user_id}
          onPick={(person) => setPerson(person?.id ?? '')}
        />
        {user_id !== '' && (
          <Button loading={move.isPending} onClick={() => send({ user_id })}>
            {t('build.app-owner.offer')}
          </Button>
        )}
        <FailureNote error={move.error} />
      </Stack>
    </Section>
  )
}
