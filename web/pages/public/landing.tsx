import { Box, Group, List, SimpleGrid, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'

export const Landing = () => (
  <>
    <Box py={{ base: 'md', sm: 40 }} maw={720}>
      <Title order={1} fz={{ base: 32, sm: 44 }} lh={1.1}>
        One account and one balance for many apps
      </Title>
      <Text fz="lg" c="dimmed" mt="md">
        People have an account and points on Plaza. Apps let them sign in with it, and take and give points, only as far
        as each person has allowed.
      </Text>
      <Group mt="xl">
        <LinkButton to="/register" size="md">
          Create an account
        </LinkButton>
        <LinkButton to="/sign-in" size="md" variant="default">
          Sign in
        </LinkButton>
      </Group>
    </Box>
    <SimpleGrid cols={{ base: 1, sm: 3 }} mt="md">
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
  </>
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
