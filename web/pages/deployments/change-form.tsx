import { Button, Checkbox, Group, Input, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  changeDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeploymentReleases,
} from '../../../contract/deployments.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { NumberField } from '../../forms/number-field.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { asApp } from '../build/access.ts'
import { Differences, HealthPathInput } from './parts.tsx'
import { EnvEditor } from './env-editor.tsx'
import { environmentError, toEnvVars, type Variable } from './env.ts'
import type { Deployment, Tier } from './labels.ts'
import { linesOfChange, type Change, type Release } from './releases.ts'
import { t } from '../../texts.ts'

interface ChangeFormProps {
  app_id: string
  deployment: Deployment
  base: Release
  tiers: Tier[]
  onClose: () => void
}

const changed_reads = [getDeployment, getDeploymentStatus, listDeployLog, listDeploymentReleases]

/** The call's environment fields; none if the environment does not change. */
const environmentOf = (variables: Variable[], taken: readonly string[]) => {
  const env_set = toEnvVars(variables)
  const env_unset = taken.filter((name) => !(name in env_set))
  return {
    ...(Object.keys(env_set).length > 0 && { env_set }),
    ...(env_unset.length > 0 && { env_unset }),
  }
}

function useChangeForm(
  { app_id, deployment, base, tiers, onClose }: ChangeFormProps,
  variables: Variable[],
  taken: string[],
) {
  const initial = {
    image: base.container_image,
    tier: tiers.find(({ id }) => id === base.deploy_tier_id)?.slug ?? '',
    port: base.port,
    custom_domain: base.custom_domain ?? '',
    replicas: base.replicas,
    health_path: base.health_path ?? '',
  }
  const contract_form = useContractForm(changeDeployment, {
    initial,
    validators: {
      image: (image) => (image.includes('/') ? undefined : t('common.begin-with-the-registry-registry-example')),
      replicas: (replicas, { tier }) => {
        const of_tier = tiers.find(({ slug }) => slug === tier)?.replicas_max ?? 1
        const maximum = Math.max(of_tier, base.replicas)
        return replicas > maximum ? t('forms.validation.at-most', { maximum: formatNumber(maximum) }) : undefined
      },
    },
    changes_only: true,
    isRestValid: () => environmentError(variables) === undefined,
    as: asApp(app_id),
    toInput: (body) => ({ params: { id: deployment.id }, body: { ...body, ...environmentOf(variables, taken) } }),
    done: () => t('deployments.change-form.accepted-the-new-release-takes-over'),
    onDone: onClose,
    invalidates: changed_reads,
    refusals: { image_not_allowed: ({ message }) => ({ image: message }) },
  })
  const { values } = contract_form.form
  const { env_set = {}, env_unset = [] } = environmentOf(variables, taken)
  const change: Change = {
    ...(values.image !== initial.image && { image: values.image }),
    ...(values.tier !== initial.tier && { tier: values.tier }),
    ...(Number.isInteger(values.port) && values.port !== initial.port && { port: values.port }),
    ...(values.custom_domain !== initial.custom_domain && { custom_domain: values.custom_domain || null }),
    ...(Number.isInteger(values.replicas) && values.replicas !== initial.replicas && { replicas: values.replicas }),
    ...(values.health_path !== initial.health_path && { health_path: values.health_path || null }),
    env_set: Object.keys(env_set),
    env_unset,
  }
  return { ...contract_form, change }
}

/** Changes a deployment, after a preview of the differences. */
export default function ChangeForm(props: ChangeFormProps) {
  const { base, tiers, onClose } = props
  const [variables, setVariables] = useState<Variable[]>([])
  const [taken, setTaken] = useState<string[]>([])
  const { field, props: form_props, form, busy, failure, change } = useChangeForm(props, variables, taken)
  useUnsaved(variables.length > 0 || taken.length > 0)
  const nameOfTier = (id: string) =>
    tiers.find((tier) => tier.id === id)?.name ?? t('deployments.change-form.the-present-one')
  const lines = linesOfChange(base, change, {
    tierOf: nameOfTier,
    tierNamed: (slug) => tiers.find((tier) => tier.slug === slug)?.name ?? slug,
  })
  const has_present_tier = tiers.some(({ id }) => id === base.deploy_tier_id)
  const chosen = tiers.find(({ slug }) => slug === form.values.tier)
  return (
    <form {...form_props}>
      <Stack>
        <TextInput {...field('image')} label={t('common.image')} autoCapitalize="none" spellCheck={false} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <NativeSelect
            {...field('tier')}
            label={t('common.hosting-tier')}
            data={[
              ...(has_present_tier ? [] : [{ value: '', label: t('deployments.change-form.the-present-one') }]),
              ...tiers.map(({ slug, name }) => ({ value: slug, label: name })),
            ]}
          />
          <NumberField {...field('port')} label={t('common.port')} grouped={false} />
          <NumberField {...field('replicas')} label={t('common.replicas')} />
        </SimpleGrid>
        <TextInput
          {...field('custom_domain')}
          label={t('common.custom-domain')}
          description={t('deployments.change-form.empty-for-none-another-one-is')}
          disabled={chosen !== undefined && !chosen.custom_domain_allowed && form.values.custom_domain === ''}
          autoCapitalize="none"
          spellCheck={false}
        />
        <HealthPathInput {...field('health_path')} />
        <TakeAway names={base.env_names} taken={taken} onChange={setTaken} />
        <EnvEditor
          variables={variables}
          onChange={setVariables}
          label={t('deployments.change-form.add-or-replace-variables')}
          description={t('deployments.change-form.to-give-a-variable-another-value')}
        />
        <Input.Wrapper labelElement="div" label={t('common.what-changes')}>
          <Differences lines={lines} none={t('deployments.change-form.nothing-yet')} />
        </Input.Wrapper>
        <FailureNote error={failure} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={lines.length === 0}>
            {t('deployments.change-form.roll-out')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const TakeAway = ({
  names,
  taken,
  onChange,
}: {
  names: string[]
  taken: string[]
  onChange: (names: string[]) => void
}) =>
  names.length === 0 ? (
    <Text size="sm" c="dimmed">
      {t('deployments.change-form.it-has-no-variables-of-its')}
    </Text>
  ) : (
    <Checkbox.Group
      label={t('deployments.change-form.take-away-variables')}
      description={t('deployments.change-form.those-that-are-not-marked-stay')}
      value={taken}
      onChange={onChange}
    >
      <Group mt={6} gap="md">
        {names.map((name) => (
          <Checkbox key={name} value={name} label={name} />
        ))}
      </Group>
    </Checkbox.Group>
  )
