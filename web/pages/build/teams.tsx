import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createTeam, listTeams } from '../../../contract/teams.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'
import { roleLabel } from './roles.ts'
import { WaitingInvitations } from './waiting-invitations.tsx'

/** The teams of the person. */
export default function Teams() {
  const query = useApiQuery(listTeams, {})
  const [adding, setAdding] = useState(false)
  return (
    <>
      <PageHead
        title={t('build.teams.teams')}
        about={t('build.teams.about')}
        actions={
          <Group gap="xs">
            <LinkButton to="/invitations" variant="default">
              {t('build.teams.invitations')}
            </LinkButton>
            <Button onClick={() => setAdding(true)}>{t('build.teams.create')}</Button>
          </Group>
        }
      />
      <WaitingInvitations />
      <Section maw={760}>
        <QueryResult
          query={query}
          empty={
            <EmptyState icon="users" title={t('build.teams.none')}>
              {t('build.teams.none-text')}
            </EmptyState>
          }
        >
          {({ teams }) => (
            <Rows label={t('build.teams.teams')}>
              {teams.map(({ id, name, role, members, apps }) => (
                <Row key={id} lead="users" action={<Badge>{roleLabel(role)}</Badge>}>
                  <Link to="/teams/$id" params={{ id }} fw={600} className="user-content">
                    {name}
                  </Link>
                  <Text size="sm" c="dimmed">
                    {t('build.teams.size', { members, apps })}
                  </Text>
                </Row>
              ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
      {adding && <NewTeam onClose={() => setAdding(false)} />}
    </>
  )
}

function NewTeam({ onClose }: { onClose: () => void }) {
  const form = useContractForm(createTeam, { initial: { name: '' }, invalidates: [listTeams], onDone: onClose })
  return (
    <FormDialog form={form} title={t('build.teams.create')} action={t('build.teams.create')} onClose={onClose}>
      <TextInput {...form.field('name')} label={t('common.name')} />
    </FormDialog>
  )
}
