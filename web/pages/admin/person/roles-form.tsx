import { Checkbox, Stack, Text } from '@mantine/core'
import { setAdminRoles } from '../../../../contract/admin.ts'
import { admin_roles, type AdminRole } from '../../../../contract/kinds/admin-roles.ts'
import { useContractForm } from '../../../forms/contract-form.ts'
import { Form } from '../../../forms/form.tsx'
import { May } from '../../../session/rights.tsx'
import { useSession } from '../../../session/session.ts'
import { Section } from '../../../ui/page-parts.tsx'
import { ReasonField } from '../decision-dialogs.tsx'
import { roleNames, role_facts } from '../role-names.ts'
import { person_reads, type Person } from './types.ts'
import { t } from '../../../texts.ts'

/** The admin roles of a person (D-135). Administrators change those of others. */
export function PersonRoles({ person }: { person: Person }) {
  const is_self = useSession().session?.user.id === person.id
  return (
    <May call={setAdminRoles}>
      <Section title={t('admin.roles.title')} about={t('admin.roles.about')}>
        {is_self ? (
          <Text size="sm">
            {roleNames(person.admin_roles)}. {t('admin.roles.own')}
          </Text>
        ) : (
          <RolesForm key={person.admin_roles.join()} person={person} />
        )}
      </Section>
    </May>
  )
}

function RolesForm({ person: { id, admin_roles: roles } }: { person: Person }) {
  const contract_form = useContractForm(setAdminRoles, {
    initial: { roles: roles as AdminRole[], reason: '' },
    validators: {
      reason: (value) => (String(value).trim() === '' ? t('common.write-why-the-audit-log-keeps') : undefined),
    },
    toInput: (body) => ({ params: { id }, body }),
    done: () => t('admin.roles.saved'),
    onDone: () => {
      form.resetDirty()
    },
    invalidates: person_reads,
  })
  const { form, field } = contract_form
  const chosen = form.values.roles
  const changed = admin_roles.some((role) => chosen.includes(role) !== roles.includes(role))
  return (
    <Form
      form={contract_form}
      gap="sm"
      maw={460}
      action={t('admin.roles.save')}
      button={{ flex: 1, variant: 'default', disabled: !changed }}
    >
      <Checkbox.Group
        label={t('admin.roles.title')}
        value={chosen}
        onChange={(value) => form.setFieldValue('roles', value as AdminRole[])}
      >
        <Stack gap="xs" mt="xs">
          {admin_roles.map((role) => (
            <Checkbox
              key={role}
              value={role}
              label={t(role_facts[role].name)}
              description={t(role_facts[role].about)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {changed && <ReasonField {...field('reason')} description={t('common.kept-in-the-audit-log')} />}
    </Form>
  )
}
