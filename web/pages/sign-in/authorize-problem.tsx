import { Alert, Button, Code, List, Stack, Table, Text, Title } from '@mantine/core'
import { failures } from '../../../contract/errors.ts'
import { ApiError } from '../../api/errors.ts'
import { CardPage } from '../../ui/card-page.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Address } from '../../ui/external-link.tsx'
import { withoutBidiControls } from '../../ui/title.ts'
import { useErrorRedirect } from './authorization-response.ts'
import classes from './authorize-problem.module.css'

/** What the operator has to correct, by error code. */
const advice: Record<string, string> = {
  validation_failed: 'Add or correct the parameters named above in the link that sends people here.',
  unsupported_response_type: 'Send response_type=code: only the authorization code grant is offered.',
  invalid_request:
    'Correct the parameter named above. redirect_uri has to be one of those registered for the app, character by ' +
    'character, and code_challenge_method has to be S256.',
  invalid_client: 'Check client_id: it is shown where you registered the app.',
  unauthorized_client:
    'The app is not yet verified: an admin of Plaza has not approved it, or has taken the approval back. Nobody can let it in before that.',
  invalid_scope:
    'Ask only for scopes in the app’s allowed_scopes. More can be had by a scope request, which an admin decides.',
}

interface ProblemProps {
  /** The request parameters as sent by the app. */
  given: [string, string][]
  repeated?: string[]
  error?: Error
  onRetry?: () => void
}

/**
 * Why an authorization request is refused, and what the app's operator has to correct. Does not redirect automatically; if
 * the redirect URI is verified, a link returns to the app with the error.
 */
export function AuthorizeProblem({ given, repeated = [], error, onRetry }: ProblemProps) {
  const refusal = error instanceof ApiError ? error : undefined
  const code = repeated.length > 0 ? 'invalid_request' : refusal?.code
  const advice_text = advice[code ?? '']
  const message = repeated.length > 0 ? failures.parameter_repeated.message : (refusal?.message ?? '')
  const { way_back } = useErrorRedirect(given, code === undefined ? undefined : { code, message })
  if (advice_text === undefined)
    return (
      <CardPage title="That did not work">
        <FailureNote error={error} {...(onRetry && { onRetry })} />
      </CardPage>
    )
  const field_errors =
    repeated.length > 0 ? repeated.map((path) => ({ path, message: 'was sent twice' })) : (refusal?.fields ?? [])
  return (
    <CardPage
      title={code === 'unauthorized_client' ? 'This app is not yet verified' : 'This link does not work'}
      about={
        code === 'unauthorized_client'
          ? 'Nobody can let it in yet. Nothing was allowed.'
          : 'The app that sent you here made a mistake. Nothing was allowed.'
      }
    >
      <Stack>
        <Alert color="red" role="alert">
          {message}
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
            For the operator of the app
          </Title>
          <Text size="sm" mt={4}>
            {advice_text}
          </Text>
        </div>
        <SentParameters given={given} />
        {code === 'unauthorized_client' && onRetry && (
          <Button variant="default" onClick={onRetry}>
            Try again
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
      <bdi>Go back to {withoutBidiControls(app_name)}</bdi>
    </Button>
    <Text size="sm" c="dimmed" mt={6}>
      This opens <Address>{redirect_host}</Address> and tells the app what was wrong.
    </Text>
  </div>
)

const SentParameters = ({ given }: { given: [string, string][] }) =>
  given.length === 0 ? null : (
    <details>
      <summary>What the app sent</summary>
      <Table fz="sm" mt="xs" layout="fixed">
        <Table.Tbody>
          {given.map(([name, value], at) => (
            <Table.Tr key={`${name}${at}`}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td className="user-content">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  )
