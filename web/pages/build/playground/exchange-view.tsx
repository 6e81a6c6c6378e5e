import { Badge, Box, Code, Group, SimpleGrid, Text } from '@mantine/core'
import { CopyButton } from '../../../ui/copy-button.tsx'
import classes from '../build.module.css'
import { curlOf, masked, type Exchange } from './exchange.ts'
import { t } from '../../../texts.ts'

const headerLines = (headers: Record<string, string> = {}) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const requestText = ({ method, url, headers, body }: Exchange) => {
  const { pathname, search } = new URL(url)
  return [`${method} ${pathname}${search}`, headerLines(headers), ...(body === undefined ? [] : ['', body])].join('\n')
}

const responseText = ({ response_headers, response_body }: Exchange) =>
  [headerLines(response_headers), '', response_body === '' ? t('build.exchange-view.no-body') : response_body]
    .join('\n')
    .trim()

const colorOf = (status: number) => (status >= 200 && status < 300 ? 'plaza' : 'red')

/** A request and its response. Secrets are masked unless `reveal` is set. */
export function ExchangeView({ exchange, reveal }: { exchange: Exchange; reveal: boolean }) {
  const { title, status, ms } = exchange
  const shown = reveal ? (text: string) => text : masked
  return (
    <Box component="article" aria-label={title} mt="md">
      <Group justify="space-between" gap="xs" mb={6}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {title}
          </Text>
          {status === undefined ? (
            <Badge color="gray">{t('build.exchange-view.on-its-way')}</Badge>
          ) : (
            <Badge color={colorOf(status)}>{status === 0 ? t('common.no-answer') : status}</Badge>
          )}
          {ms !== undefined && (
            <Text size="xs" c="dimmed" className="number">
              {t('build.exchange-view.ms', { ms })}
            </Text>
          )}
        </Group>
        <CopyButton
          text={curlOf(exchange)}
          what={`(${title})`}
          label={t('build.exchange-view.copy-as-curl')}
          size="compact-xs"
        />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing={6}>
        <RawMessage label={t('build.exchange-view.request', { title })} text={shown(requestText(exchange))} />
        {status !== undefined && (
          <RawMessage label={t('build.exchange-view.answer', { title })} text={shown(responseText(exchange))} />
        )}
      </SimpleGrid>
    </Box>
  )
}

/** The text of a request or response, as sent. */
export const RawMessage = ({ label, text }: { label: string; text: string }) => (
  <Code block className={classes.wire} tabIndex={0} role="region" aria-label={label}>
    {text}
  </Code>
)
