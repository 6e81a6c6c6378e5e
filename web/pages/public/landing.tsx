import { Box, Group, List, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { spend_sample } from './landing-sample.ts'
import { service_state_query, summaryOf } from './service-state.ts'
import classes from './landing.module.css'
import { language, t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export const Landing = () => (
  <>
    <Box py={{ base: 'md', sm: 40 }} className={classes.hero}>
      <Title order={1} fz={{ base: 32, sm: 46 }} lh={1.1}>
        {t('public.landing.one-account-and-one-balance-for')}
      </Title>
      <Text fz="lg" c="dimmed" mt="md">
        {t('public.landing.people-have-an-account-and-points')}
      </Text>
      <Group mt="xl" justify="center">
        <LinkButton to="/register" size="md">
          {t('common.create-an-account')}
        </LinkButton>
        <LinkButton to="/sign-in" size="md" variant="default">
          {t('common.sign-in')}
        </LinkButton>
      </Group>
      <Health />
    </Box>
    <ConsolePicture />
    <SimpleGrid cols={{ base: 1, sm: 3 }} mt="xl">
      <Part icon="user" title={t('public.landing.for-people')}>
        <List.Item>{t('public.landing.one-sign-in-with-a-second')}</List.Item>
        <List.Item>{t('public.landing.see-every-app-that-may-act')}</List.Item>
        <List.Item>{t('public.landing.points-with-a-complete-history-friends')}</List.Item>
      </Part>
      <Part icon="app" title={t('public.landing.for-operators')}>
        <List.Item>
          <RichText
            k="public.landing.register-your-app-an-admin-looks"
            link={(part) => <Link to="/register">{part}</Link>}
          />
        </List.Item>
        <List.Item>{t('public.landing.oauth-2-0-with-pkce-any')}</List.Item>
        <List.Item>{t('public.landing.spend-transfer-and-award-points-host')}</List.Item>
      </Part>
      <Part icon="scroll" title={t('public.landing.for-developers')}>
        <List.Item>
          <RichText
            k="public.landing.guides-and-reference-with-samples-to"
            link={(part) => <a href="/docs">{part}</a>}
          />
        </List.Item>
        <List.Item>
          <RichText
            k="public.landing.openapi-document-and-discovery"
            link={(part) => <a href="/api/openapi.json">{part}</a>}
            link_2={(part) => <a href="/.well-known/oauth-authorization-server">{part}</a>}
          />
        </List.Item>
        <List.Item>
          <RichText
            k="public.landing.a-directory-in-which-people-find"
            link={(part) => <Link to="/directory">{part}</Link>}
          />
        </List.Item>
      </Part>
    </SimpleGrid>
    <Sample />
  </>
)

/** Made by `npm run picture`. The picture of the other colour scheme is not rendered, and so never loaded. */
const ConsolePicture = () => (
  <>
    <Picture scheme="light" className="mantine-dark-hidden" />
    <Picture scheme="dark" className="mantine-light-hidden" />
  </>
)

const pictures = import.meta.glob<string>('./console-*.webp', { eager: true, import: 'default' })

const pictureOf = (scheme: string | null, screen: '' | '-phone') =>
  pictures[`./console-${scheme}${screen}${language === 'de' ? '-de' : ''}.webp`]

const phone = '(max-width: 40em)'

/** Starts loading the picture while React renders the page. */
export function loadPicture() {
  const scheme = document.documentElement.getAttribute('data-mantine-color-scheme')
  const address = pictureOf(scheme, matchMedia(phone).matches ? '-phone' : '')
  if (address !== undefined) new Image().src = address
}

const Picture = ({ scheme, className }: { scheme: 'light' | 'dark'; className: string }) => (
  <picture className={className}>
    <source media={phone} srcSet={pictureOf(scheme, '-phone')} width={780} height={1688} />
    <img
      className={classes.picture}
      src={pictureOf(scheme, '')}
      alt={t('public.landing.the-page-of-points-the-balance')}
      width={1280}
      height={720}
      loading="lazy"
    />
  </picture>
)

function Health() {
  const { data } = useQuery(service_state_query)
  return (
    <Group gap="xs" mt="lg" justify="center" fz="sm" c="dimmed" role="status">
      <span className={classes.light} data-good={data && (data.is_up && data.database ? 'yes' : 'no')} />
      {summaryOf(data)} <Link to="/status">{t('common.status')}</Link>
    </Group>
  )
}

const Sample = () => (
  <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} mt="md" bg="var(--plaza-card)">
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <div>
        <Title order={2}>{t('public.landing.take-points-in-your-own-app')}</Title>
        <Text mt="xs">{t('public.landing.a-person-signs-in-to-your')}</Text>
        <Group mt="md">
          <LinkButton to="/register" variant="default">
            {t('common.register-your-first-app')}
          </LinkButton>
          <a href="/docs/guides/quickstart">{t('public.landing.begin-with-the-quickstart')}</a>
        </Group>
      </div>
      <pre className={classes.sample} aria-label={t('public.landing.a-call-that-takes-thirty-points')}>
        <code>{spend_sample.replace('https://plaza.example', location.origin)}</code>
      </pre>
    </SimpleGrid>
  </Paper>
)

const Part = ({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) => (
  <Section>
    <Group gap="xs" mb="sm">
      <Text component="span" c="var(--mantine-color-anchor)" lh={1}>
        <Icon name={icon} size={22} />
      </Text>
      <Title order={2}>{title}</Title>
    </Group>
    <List size="sm" spacing={6}>
      {children}
    </List>
  </Section>
)
