import { Box, Group, List, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import dark_picture from './console-dark.webp'
import light_picture from './console-light.webp'
import { spend_sample } from './landing-sample.ts'
import { service_state_query, summaryOf } from './service-state.ts'
import classes from './landing.module.css'

export const Landing = () => (
  <>
    <Box py={{ base: 'md', sm: 40 }} className={classes.hero}>
      <Title order={1} fz={{ base: 32, sm: 46 }} lh={1.1}>
        One account and one balance for many apps
      </Title>
      <Text fz="lg" c="dimmed" mt="md">
        People have an account and points on Plaza. Apps let them sign in with it, and take and give points, only as far
        as each person has allowed.
      </Text>
      <Group mt="xl" justify="center">
        <LinkButton to="/register" size="md">
          Create an account
        </LinkButton>
        <LinkButton to="/sign-in" size="md" variant="default">
          Sign in
        </LinkButton>
      </Group>
      <Health />
    </Box>
    <ConsolePicture />
    <SimpleGrid cols={{ base: 1, sm: 3 }} mt="xl">
      <Part icon="user" title="For people">
        <List.Item>One sign-in, with a second factor if you like</List.Item>
        <List.Item>See every app that may act for you, and end it at once</List.Item>
        <List.Item>Points with a complete history, friends, chat, lessons</List.Item>
      </Part>
      <Part icon="app" title="For operators">
        <List.Item>
          <Link to="/register">Register your app</Link>; an admin looks at it
        </List.Item>
        <List.Item>OAuth 2.0 with PKCE: any OAuth library will do</List.Item>
        <List.Item>Spend, transfer and award points; host your containers</List.Item>
      </Part>
      <Part icon="scroll" title="For developers">
        <List.Item>
          <a href="/docs">Guides and reference</a>, with samples to copy and calls to try
        </List.Item>
        <List.Item>
          <a href="/api/openapi.json">OpenAPI document</a> and{' '}
          <a href="/.well-known/oauth-authorization-server">discovery</a>
        </List.Item>
        <List.Item>
          A <Link to="/directory">directory</Link> in which people find your app
        </List.Item>
      </Part>
    </SimpleGrid>
    <Sample />
  </>
)

/** Made by `npm run picture`. The one of the other colours is not drawn, and so never loaded. */
const ConsolePicture = () => (
  <>
    <Picture src={light_picture} className="mantine-dark-hidden" />
    <Picture src={dark_picture} className="mantine-light-hidden" />
  </>
)

const Picture = ({ src, className }: { src: string; className: string }) => (
  <img
    className={`${classes.picture} ${className}`}
    src={src}
    alt="The page of points: the balance, its course over thirty days, and what moved it."
    width={1280}
    height={720}
    loading="lazy"
  />
)

function Health() {
  const { data } = useQuery(service_state_query)
  return (
    <Group gap="xs" mt="lg" justify="center" fz="sm" c="dimmed" role="status">
      <span className={classes.light} data-good={data && (data.is_up && data.database ? 'yes' : 'no')} />
      {summaryOf(data)} <Link to="/status">Status</Link>
    </Group>
  )
}

const Sample = () => (
  <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} mt="md" bg="var(--plaza-card)">
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <div>
        <Title order={2}>Take points in your own app</Title>
        <Text mt="xs">
          A person signs in to your app with Plaza and allows it to spend. Then one call takes the points, once, however
          often it is sent with the same key.
        </Text>
        <Group mt="md">
          <LinkButton to="/register" variant="default">
            Register your first app
          </LinkButton>
          <a href="/docs/guides/quickstart">Begin with the quickstart</a>
        </Group>
      </div>
      <pre className={classes.sample} tabIndex={0} aria-label="A call that takes thirty points">
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
