import { Code, Text } from '@mantine/core'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { t } from '../../texts.ts'
import type { MyApp } from './access.ts'
import classes from './build.module.css'
import { firstCall, type Step } from './first-call.ts'

const texts = (): Record<Step['name'], string> => ({
  ask: t('build.app-first-call.print-an-address-and-open-it'),
  exchange: t('build.app-first-call.exchange-the-code-for-a-token'),
  call: t('build.app-first-call.call-in-the-name-of-the'),
})

/** The quickstart with this app's values, for a terminal. */
export const AppFirstCall = ({ app }: { app: MyApp }) => (
  <Section
    title={t('build.app-first-call.the-first-call')}
    about={
      <RichText
        k="build.app-first-call.for-a-terminal-with-the-values"
        link={(part) => <a href="/docs/guides/quickstart">{part}</a>}
      />
    }
  >
    <ol className={classes.steps}>
      {firstCall(app, location.origin).map(({ name, code }) => (
        <li key={name}>
          <Text size="sm">{texts()[name]}</Text>
          <Code block className={classes.wire} my={6}>
            {code}
          </Code>
          <CopyButton text={code} what={texts()[name]} size="compact-xs" />
        </li>
      ))}
    </ol>
  </Section>
)
