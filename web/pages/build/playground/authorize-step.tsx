import { Alert, Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { DescriptionList } from '../../../ui/description-list.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { playgroundUri } from '../redirect-uris.tsx'
import { responseInUrl, authorizeUrl, checkResponse, saveFlow, type Flow } from './flow.ts'
import { Step } from './step.tsx'
import { masked } from './exchange.ts'
import { RawMessage } from './exchange-view.tsx'
import { t } from '../../../texts.ts'

interface AuthorizeProps {
  flow: Flow | undefined
  reveal: boolean
  onFlow: (flow: Flow) => void
}

/** Steps 2 and 3: the authorization request and its response. */
export const Authorize = ({ flow, reveal, onFlow }: AuthorizeProps) => (
  <>
    <Step
      number={2}
      title={t('build.authorize-step.send-the-user-to-plaza')}
      about={t('build.authorize-step.the-app-keeps-verifier-and-state')}
      done={flow?.response !== undefined}
      blocked_by={flow ? undefined : t('build.authorize-step.comes-after-step-1')}
    >
      {flow && <Request flow={flow} reveal={reveal} onFlow={onFlow} />}
    </Step>
    <Step
      number={3}
      title={t('build.authorize-step.check-the-answer')}
      about={t('build.authorize-step.the-user-comes-back-to-the')}
      done={flow?.response?.code !== undefined}
      blocked_by={flow?.response ? undefined : t('build.authorize-step.comes-after-the-user-has-answered')}
    >
      {flow?.response && <ResponseView flow={flow} answer={flow.response} reveal={reveal} />}
    </Step>
  </>
)

function Request({ flow, reveal, onFlow }: AuthorizeProps & { flow: Flow }) {
  const url = authorizeUrl(flow)
  const returns_here = flow.redirect_uri === playgroundUri()
  const go = () => {
    const { response: _, ...request } = flow
    saveFlow(request)
    location.assign(url)
  }
  return (
    <Stack>
      <DescriptionList
        items={[
          [
            'code_verifier',
            <Code key="verifier">
              {reveal
                ? flow.verifier
                : t('build.authorize-step.stays-with-the-app', { verifier: flow.verifier.slice(0, 4) })}
            </Code>,
          ],
          ['code_challenge', <Code key="challenge">{flow.challenge}</Code>],
          ['state', <Code key="state">{flow.state}</Code>],
        ]}
      />
      <RawMessage
        label={t('build.authorize-step.address-of-the-consent-page')}
        text={`GET ${url.replaceAll(/[?&]/g, (mark) => `\n${mark}`)}`}
      />
      <Group justify="space-between">
        <CopyButton text={url} what={t('build.authorize-step.the-address-of-the-consent-page')} />
        {returns_here ? (
          <Button onClick={go}>{t('build.authorize-step.go-to-the-consent-page')}</Button>
        ) : (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            rightSection={<Icon name="link" size={15} />}
          >
            {t('build.authorize-step.open-the-consent-page')}
          </Button>
        )}
      </Group>
      {!returns_here && <PasteResponse flow={flow} onFlow={onFlow} />}
    </Stack>
  )
}

/** Takes the final URL as input, for redirect URIs of other sites. */
function PasteResponse({ flow, onFlow }: { flow: Flow; onFlow: (flow: Flow) => void }) {
  const [address, setAddress] = useState('')
  const response = responseInUrl(address)
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex={1}
        miw={220}
        label={t('build.authorize-step.address-that-you-came-back-to')}
        description={t('build.authorize-step.your-app-may-have-used-the')}
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
        error={address !== '' && !response ? t('build.authorize-step.there-is-no-code-and-no') : undefined}
        spellCheck={false}
      />
      <Button variant="default" disabled={!response} onClick={() => response && onFlow({ ...flow, response })}>
        {t('build.authorize-step.use-it')}
      </Button>
    </Group>
  )
}

interface ResponseProps {
  flow: Flow
  answer: NonNullable<Flow['response']>
  reveal: boolean
}

function ResponseView({ flow, answer, reveal }: ResponseProps) {
  const shown = reveal ? (text: string) => text : masked
  const parameters = Object.entries(answer).map(
    ([name, value], at) => `\n${at === 0 ? '?' : '&'}${name}=${shown(String(value))}`,
  )
  return (
    <Stack>
      <RawMessage
        label={t('build.authorize-step.the-answer-at-the-redirect-uri')}
        text={flow.redirect_uri + parameters.join('')}
      />
      {answer.error !== undefined && (
        <Alert color="red" variant="light" title={answer.error}>
          {answer.error === 'access_denied'
            ? t('build.authorize-step.the-user-said-no-an-app')
            : (answer.error_description ?? t('build.authorize-step.there-is-no-code-to-exchange'))}
        </Alert>
      )}
      <List spacing={4} size="sm" listStyleType="none" withPadding={false}>
        {checkResponse(flow, answer).map(({ passed, text }) => (
          <List.Item key={text} icon={<Icon name={passed ? 'check' : 'alert'} size={16} />}>
            <Text size="sm" {...(!passed && { c: 'var(--mantine-color-error)' })}>
              {text}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
