import { Alert, Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Icon } from '../../../ui/icon.tsx'
import classes from '../build.module.css'
import { playgroundUri } from '../redirect-uris.tsx'
import { answerInAddress, authorizeUrl, checksOfAnswer, keepFlow, type Flow } from './flow.ts'
import { Step } from './step.tsx'
import { masked } from './exchange.ts'

interface AuthorizeProps {
  flow: Flow | undefined
  reveal: boolean
  onFlow: (flow: Flow) => void
}

/** Steps 2 and 3: the request that the user is sent with, and the answer that the user brings back. */
export const Authorize = ({ flow, reveal, onFlow }: AuthorizeProps) => (
  <>
    <Step
      number={2}
      title="Send the user to Plaza"
      about="The app keeps verifier and state, and sends the browser to the consent page with the challenge."
      done={flow?.answer !== undefined}
      waits_for={flow ? undefined : 'Comes after step 1.'}
    >
      {flow && <Request flow={flow} reveal={reveal} onFlow={onFlow} />}
    </Step>
    <Step
      number={3}
      title="Check the answer"
      about="The user comes back to the redirect URI with a code. Before using it the app compares state and iss."
      done={flow?.answer?.code !== undefined}
      waits_for={flow?.answer ? undefined : 'Comes after the user has answered in step 2.'}
    >
      {flow?.answer && <AnswerView flow={flow} answer={flow.answer} reveal={reveal} />}
    </Step>
  </>
)

function Request({ flow, reveal, onFlow }: AuthorizeProps & { flow: Flow }) {
  const url = authorizeUrl(flow)
  const comes_here = flow.redirect_uri === playgroundUri()
  const go = () => {
    const { answer: _, ...request } = flow
    keepFlow(request)
    location.assign(url)
  }
  return (
    <Stack>
      <Facts
        items={[
          [
            'code_verifier',
            <Code key="verifier">{reveal ? flow.verifier : `${flow.verifier.slice(0, 4)}… stays with the app`}</Code>,
          ],
          ['code_challenge', <Code key="challenge">{flow.challenge}</Code>],
          ['state', <Code key="state">{flow.state}</Code>],
        ]}
      />
      <Code block className={classes.wire} tabIndex={0} role="region" aria-label="Address of the consent page">
        {`GET ${url.replaceAll(/[?&]/g, (mark) => `\n${mark}`)}`}
      </Code>
      <Group justify="space-between">
        <CopyButton text={url} what="the address of the consent page" />
        {comes_here ? (
          <Button onClick={go}>Go to the consent page</Button>
        ) : (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            rightSection={<Icon name="link" size={15} />}
          >
            Open the consent page
          </Button>
        )}
      </Group>
      {!comes_here && <Pasting flow={flow} onFlow={onFlow} />}
    </Stack>
  )
}

/** For redirect URIs that lead elsewhere: the address that the browser ended up at. */
function Pasting({ flow, onFlow }: { flow: Flow; onFlow: (flow: Flow) => void }) {
  const [address, setAddress] = useState('')
  const answer = answerInAddress(address)
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex={1}
        miw={220}
        label="Address that you came back to"
        description="Your app may have used the code up already: then the exchange below is refused."
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
        error={address !== '' && !answer ? 'There is no code and no error in this address.' : undefined}
        spellCheck={false}
      />
      <Button variant="default" disabled={!answer} onClick={() => answer && onFlow({ ...flow, answer })}>
        Use it
      </Button>
    </Group>
  )
}

function AnswerView({ flow, answer, reveal }: { flow: Flow; answer: NonNullable<Flow['answer']>; reveal: boolean }) {
  const shown = reveal ? (text: string) => text : masked
  return (
    <Stack>
      <Code block className={classes.wire} tabIndex={0} role="region" aria-label="The answer at the redirect URI">
        {`${flow.redirect_uri}${Object.entries(answer)
          .map(([name, value], at) => `\n${at === 0 ? '?' : '&'}${name}=${shown(String(value))}`)
          .join('')}`}
      </Code>
      {answer.error !== undefined && (
        <Alert color="red" variant="light" title={answer.error}>
          {answer.error === 'access_denied'
            ? 'The user said no. An app shows that nothing was connected, and lets the user try again.'
            : (answer.error_description ?? 'There is no code to exchange.')}
        </Alert>
      )}
      <List spacing={4} size="sm" listStyleType="none" withPadding={false}>
        {checksOfAnswer(flow, answer).map(({ good, text }) => (
          <List.Item key={text} icon={<Icon name={good ? 'check' : 'alert'} size={16} />}>
            <Text size="sm" {...(!good && { c: 'var(--mantine-color-error)' })}>
              {text}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
