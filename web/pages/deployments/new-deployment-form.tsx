import { Alert, Button, Code, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { default_port } from '../../../contract/deployment-fields.ts'
import { createDeployment, listDeployments, listDeployTiers } from '../../../contract/deployments.ts'
import { isApiError, NetworkError } from '../../api/errors.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { settings } from '../../settings.ts'
import { NumberField } from '../../forms/number-field.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { HealthPathInput } from './parts.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { asApp, type MyApp } from '../build/access.ts'
import { discardUnsaved, useUnsaved } from '../../ui/unsaved.ts'
import type { Availability } from './availability.tsx'
import { EnvEditor } from './env-editor.tsx'
import { environmentError, toEnvVars, type Variable } from './env.ts'
import { TierCards } from './tier-cards.tsx'
import { addressOf, nameOf, no_charge, type Tier } from './labels.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { reserved, kept_days } = decisions.subdomains
const { shared_namespace } = decisions.images
const { cycle_days } = decisions.hosting_charges

interface AppProps {
  app: MyApp
  availability: Availability | undefined
}

/** The form, once the available tiers are known. */
export default function NewDeploymentForm({ app, availability }: AppProps) {
  const query = useApiQuery(listDeployTiers, {}, { as: asApp(app.id) })
  return (
    <Section>
      <QueryResult
        query={query}
        empty={
          <EmptyState icon="tag" title={t('deployments.new-deployment.this-plaza-offers-no-tier')}>
            {t('deployments.new-deployment.an-admin-has-to-add-one')}
          </EmptyState>
        }
      >
        {({ tiers }) => <Form app={app} tiers={tiers} availability={availability} />}
      </QueryResult>
    </Section>
  )
}

/** The error of a reserved name. Only the API knows whether a name is taken. */
const nameError = (name: string) =>
  reserved.includes(name) || name.slice(2, 4) === '--'
    ? t('deployments.new-deployment.this-name-is-reserved-choose-another')
    : undefined

/** The field for a refusal that names none. */
const refusedField = (error: Error) =>
  isApiError(error, 'subdomain_taken') ? 'subdomain' : isApiError(error, 'image_not_allowed') ? 'image' : undefined

const mayHaveDomain = (tiers: Tier[], chosen: string) =>
  tiers.some(({ slug, custom_domain_allowed }) => slug === chosen && custom_domain_allowed)

/** The app's own deployment of that name; undefined if there is none or the list cannot be read. */
const findOwn = (app: MyApp, subdomain: string) =>
  asApp(app.id)
    .call(listDeployments)
    .then(
      ({ deployments }) => deployments.find((each) => each.subdomain === subdomain),
      () => undefined,
    )

function useDeploymentForm(app: MyApp, tiers: Tier[], variables: Variable[]) {
  const router = useRouter()
  /** The name in a call without a response: the deployment may exist. */
  const unanswered_name = useRef<string>(undefined)
  const goTo = (id: string) => router.navigate({ to: '/deployments/$id', params: { id }, search: { app: app.id } })
  const showError = (at: 'subdomain' | 'image', { message }: Error) => contract_form.showErrors({ [at]: message })
  const goToOwn = async (subdomain: string, error: Error) => {
    const own = await findOwn(app, subdomain)
    if (!own) return showError('subdomain', error)
    notify(t('deployments.new-deployment.your-first-request-had-already-created'))
    discardUnsaved()
    return goTo(own.id)
  }
  const contract_form = useContractForm(createDeployment, {
    initial: {
      subdomain: '',
      image: '',
      tier: tiers[0]?.slug ?? '',
      port: default_port,
      health_path: '',
      custom_domain: '',
    },
    pattern_messages: { subdomain: t('deployments.new-deployment.up-to-32-small-letters-digits') },
    validators: {
      subdomain: (name) => (name === '' ? t('common.fill-this-in') : nameError(name)),
      image: (image) => (image.includes('/') ? undefined : t('common.begin-with-the-registry-registry-example')),
    },
    validate_on_change: true,
    isRestValid: () => environmentError(variables) === undefined,
    as: asApp(app.id),
    toInput: ({ custom_domain, ...body }) => ({
      body: {
        ...body,
        ...(custom_domain !== undefined && mayHaveDomain(tiers, body.tier) && { custom_domain }),
        ...(variables.some(({ name }) => name !== '') && { env_vars: toEnvVars(variables) }),
      },
    }),
    onDone: async ({ id }) => {
      notify(t('deployments.new-deployment.accepted-it-starts-now'))
      discardUnsaved()
      await goTo(id)
    },
    onError: (error) => {
      const { subdomain } = contract_form.form.getValues()
      if (error instanceof NetworkError) unanswered_name.current = subdomain
      const at = refusedField(error)
      if (at === undefined) return false
      if (at === 'subdomain' && unanswered_name.current === subdomain) void goToOwn(subdomain, error)
      else showError(at, error)
      return true
    },
  })
  return contract_form
}

function Form({ app, tiers, availability }: AppProps & { tiers: Tier[] }) {
  const [variables, setVariables] = useState<Variable[]>([])
  const { field, form, props, busy, failure } = useDeploymentForm(app, tiers, variables)
  const tier = tiers.find(({ slug }) => slug === form.values.tier)
  useUnsaved(variables.length > 0)
  return (
    <form {...props}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            {...field('subdomain')}
            required
            label={t('common.name')}
            description={<NameRule subdomain={form.values.subdomain} />}
            autoCapitalize="none"
            spellCheck={false}
          />
          <NumberField
            {...field('port')}
            label={t('common.port')}
            description={t('deployments.new-deployment.where-the-program-listens-on-0')}
            grouped={false}
          />
        </SimpleGrid>
        <TextInput
          {...field('image')}
          label={t('common.image')}
          description={<ImageRule app={app} availability={availability} />}
          placeholder={`registry.example/${app.client_id.slice(0, 8)}…/shop:1.4`}
          autoCapitalize="none"
          spellCheck={false}
        />
        <TierCards {...form.getInputProps('tier')} tiers={tiers} />
        <EnvEditor variables={variables} onChange={setVariables} />
        <TextInput
          {...field('custom_domain')}
          label={t('common.custom-domain')}
          description={
            tier?.custom_domain_allowed
              ? t('deployments.new-deployment.optional-it-is-used-once-a')
              : t('deployments.new-deployment.has-none-choose-a-tier-that', {
                  name: tier?.name ?? t('deployments.new-deployment.this-tier'),
                })
          }
          disabled={!tier?.custom_domain_allowed}
          placeholder="shop.example"
          autoCapitalize="none"
          spellCheck={false}
        />
        <HealthPathInput {...field('health_path')} />
        <Refused failure={failure} />
        <Group justify="space-between">
          <Text size="sm" c="dimmed" maw={520}>
            {settings.is_billing_on
              ? t('deployments.new-deployment.the-price-is-taken-from-your', { cycle_days })
              : no_charge()}
          </Text>
          <Group>
            <LinkButton to="/deployments" search={{ app: app.id }} variant="default">
              {t('common.cancel')}
            </LinkButton>
            <Button type="submit" loading={busy}>
              {t('common.deploy')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

const NameRule = ({ subdomain }: { subdomain: string }) => {
  const name = nameOf(subdomain || 'name')
  return (
    <RichText
      k="deployments.new-deployment.it-will-be-at-once-destroyed"
      bold={<b className="user-content">{addressOf(name) ?? name}</b>}
      kept_days={kept_days}
    />
  )
}

const ImageRule = ({ app, availability }: AppProps) => {
  const registries = availability?.registries
  return (
    <>
      <RichText
        k="deployments.new-deployment.the-whole-reference-with-its-registry"
        private={
          registries?.private && (
            <>
              <RichText
                k="deployments.new-deployment.from-below-or"
                code={<Code fz="inherit">{registries.private}</Code>}
                code_2={<Code fz="inherit">{app.client_id}</Code>}
                code_3={<Code fz="inherit">{shared_namespace}</Code>}
              />{' '}
            </>
          )
        }
        public={
          registries?.public && (
            <>
              <RichText
                k="deployments.new-deployment.from-official-images-below"
                code={<Code fz="inherit">{registries.public}</Code>}
                code_2={<Code fz="inherit">library</Code>}
              />{' '}
            </>
          )
        }
        code_host={
          registries?.code_host && (
            <>
              <RichText
                k="deployments.new-deployment.from-any-image"
                code={<Code fz="inherit">{registries.code_host}</Code>}
              />{' '}
            </>
          )
        }
        code={<Code fz="inherit">latest</Code>}
      />
    </>
  )
}

const Refused = ({ failure }: { failure: Error | undefined }) =>
  isApiError(failure, 'container_engine_unavailable') ? (
    <Alert
      role="alert"
      color="yellow"
      variant="light"
      title={t('deployments.new-deployment.no-container-engine-is-there-right')}
    >
      <Text size="sm">
        {t('deployments.new-deployment.nothing-was-stored-or-charged-and', { message: failure.message })}
      </Text>
    </Alert>
  ) : (
    <FailureNote error={failure} />
  )
