import { Alert, Button, Code, List, Stack, Text, Title } from '@mantine/core'
import { failures } from '../../../contract/errors.ts'
import { ApiError } from '../../api/errors.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Address } from '../../ui/external-link.tsx'
import table from '../../ui/table.module.css'
import { withoutBidiControls } from '../../ui/tab-title.ts'
import { useErrorRedirect } from './authorization-response.ts'
import classes from './authorize-problem.module.css'
import { contractText, t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** The advice to the operator, by error code. */
const advice = (): Record<string, string> => ({
  validation_failed: t('sign-in.authorize-problem.add-or-correct-the-parameters-named'),
  unsupported_response_type: t('sign-in.authorize-problem.send-response-type-code-only-the'),
  invalid_request: t('sign-in.authorize-problem.correct-the-parameter-named-above'),
  invalid_client: t('sign-in.authorize-problem.check-client-id-it-is-shown'),
  unauthorized_client: t('sign-in.authorize-problem.the-app-is-not-yet-verified'),
  invalid_scope: t('sign-in.authorize-problem.ask-only-for-scopes-in-the'),
  invalid_target: t('sign-in.authorize-problem.send-an-address-of-this-server'),
  request_not_supported: t('sign-in.authorize-problem.leave-the-parameter-out'),
  invalid_request_uri: t('sign-in.authorize-problem.push-again'),
  request_uri_not_supported: t('sign-in.authorize-problem.leave-the-parameter-out'),
  registration_not_supported: t('sign-in.authorize-problem.leave-the-parameter-out'),
  login_required: t('sign-in.authorize-problem.send-people-without-prompt-none'),
  consent_required: t('sign-in.authorize-problem.send-people-without-prompt-none'),
})

interface ProblemProps {
  /** The request parameters as sent by the app. */
  given: [string, string][]
  repeated?: string[]
  error?: Error
  onRetry?: () => void
}

/**
 * The reason why an authorization request is refused, and what the app's operator must correct. Does not redirect
 * automatically; if the redirect URI is verified, a link returns to the app with the error.
 */
export function AuthorizeProblem({ given, repeated = [], error, onRetry }: ProblemProps) {
  const refusal = error instanceof ApiError ? error : undefined
  const code = repeated.length > 0 ? 'invalid_request' : refusal?.code
  const advice_text = advice()[code ?? '']
  const sent_message = repeated.length > 0 ? failures.parameter_repeated.message : (refusal?.sent_message ?? '')
  const { way_back } = useErrorRedirect(given, code === undefined ? undefined : { code, sent_message })
  if (advice_text === undefined)
    return (
      <CardPage title={t('sign-in.authorize-problem.that-did-not-work')}>
        <FailureNote error={error} {...(onRetry && { onRetry })} />
      </CardPage>
    )
  const field_errors =
    repeated.length > 0
      ? repeated.map((path) => ({ path, message: t('sign-in.authorize-problem.was-sent-twice') }))
      : (refusal?.fields ?? [])
  const is_unapproved = code === 'unauthorized_client' || way_back?.is_approved === false
  return (
    <CardPage
      title={
        is_unapproved
          ? t('sign-in.authorize-problem.this-app-is-not-yet-verified')
          : t('common.this-link-does-not-work')
      }
      about={
        is_unapproved
          ? t('sign-in.authorize-problem.nobody-can-let-it-in-yet')
          : t('sign-in.authorize-problem.the-app-that-sent-you-here')
      }
    >
      <Stack>
        <Alert color="red" role="alert">
          {contractText(sent_message)}
          {field_errors.length > 0 && (
            <List size="sm" mt="xs">
              {field_errors.map(({ path, message }) => (
                <List.Item key={path + message}>
                  <Code>{path}</Code> {message}
                </List.Item>
              ))}
            </List>
          )}
        </Alert>
        {way_back && <BackWithError {...way_back} />}
        <div>
          <Title order={2} fz="md">
            {t('sign-in.authorize-problem.for-the-operator-of-the-app')}
          </Title>
          <Text size="sm" mt={4}>
            {advice_text}
          </Text>
        </div>
        <SentParameters given={given} />
        {code === 'unauthorized_client' && onRetry && (
          <Button variant="default" onClick={onRetry}>
            {t('common.try-again')}
          </Button>
        )}
      </Stack>
    </CardPage>
  )
}

type WayBack = NonNullable<ReturnType<typeof useErrorRedirect>['way_back']>

const BackWithError = ({ app_name, redirect_host, address }: WayBack) => (
  <div>
    <Button component="a" href={address} fullWidth classNames={{ root: classes.back, label: classes.label }}>
      <bdi>{t('sign-in.authorize-problem.go-back-to', { app_name: withoutBidiControls(app_name) })}</bdi>
    </Button>
    <Text size="sm" c="dimmed" mt={6}>
      <RichText
        k="sign-in.authorize-problem.this-opens-and-tells-the-app"
        address={<Address>{redirect_host}</Address>}
      />
    </Text>
  </div>
)

const SentParameters = ({ given }: { given: [string, string][] }) =>
  given.length === 0 ? null : (
    <details>
      <summary>{t('sign-in.authorize-problem.what-the-app-sent')}</summary>
      <table className={`${table.table} ${table.fixed}`}>
        <tbody>
          {given.map(([name, value], at) => (
            <tr key={`${name}${at}`}>
              <th scope="row">{name}</th>
              <td className="user-content">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
