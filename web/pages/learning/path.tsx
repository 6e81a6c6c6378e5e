import { Badge, Button, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { me } from '../../../contract/accounts.ts'
import { chooseLearningPath, listLearningPaths, listModules } from '../../../contract/learning.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatPoints } from '../../ui/format.tsx'
import Board, { Streak } from './board.tsx'
import { nextIncomplete, stepLink, moduleLink, rewardOf, type Course, type Module } from './course.ts'
import classes from './learning.module.css'
import { t } from '../../texts.ts'

type Path = AnswerOf<typeof listLearningPaths>['paths'][number]

export default function Learning() {
  const course = useApiQuery(listModules, {})
  const paths = useApiQuery(listLearningPaths, {})
  return (
    <QueryResult query={paths} rows={6}>
      {({ paths: all_paths }) => (
        <QueryResult query={course} rows={6}>
          {(mine) =>
            mine.learning_path === null ? (
              <Choice offered={all_paths} />
            ) : (
              <Progression
                course={mine}
                path={all_paths.find(({ path }) => path === mine.learning_path)}
                offered={all_paths}
              />
            )
          }
        </QueryResult>
      )}
    </QueryResult>
  )
}

const Choice = ({ offered }: { offered: readonly Path[] }) => (
  <>
    <PageHead
      title={t('learning.path.choose-a-learning-path')}
      about={t('learning.path.short-steps-to-read-at-your')}
    />
    <Offers offered={offered} />
  </>
)

function Offers({ offered, present: chosen_path }: { offered: readonly Path[]; present?: string }) {
  const choose = useApiMutation(chooseLearningPath, { invalidates: [listModules, me] })
  const chosen = choose.variables?.body.path
  if (offered.length === 0)
    return (
      <Section>
        <EmptyState icon="book" title={t('learning.path.there-is-nothing-to-learn-here')}>
          {t('learning.path.the-people-who-run-this-plaza')}
        </EmptyState>
      </Section>
    )
  return (
    <Stack>
      <FailureNote error={choose.error} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {offered.map(({ path, title, summary }) => (
          <Section key={path}>
            <Stack h="100%" gap="sm" align="flex-start">
              <Title order={2}>{title}</Title>
              <Text flex={1}>{summary}</Text>
              <Button
                onClick={() => choose.mutate({ body: { path } })}
                loading={choose.isPending && chosen === path}
                disabled={path === chosen_path || (choose.isPending && chosen !== path)}
              >
                {path === chosen_path ? t('learning.path.chosen') : t('learning.path.choose', { title })}
              </Button>
            </Stack>
          </Section>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function Progression({ course, path, offered }: { course: Course; path: Path | undefined; offered: readonly Path[] }) {
  const { modules } = course
  const steps = modules.flatMap((module) => module.steps)
  const completed = steps.filter((step) => step.completed).length
  const next = nextIncomplete(modules)
  return (
    <>
      <PageHead title={path?.title ?? t('learning.path.your-learning-path')} about={path?.summary} />
      <Stack gap="lg">
        <Section>
          <Group justify="space-between" gap="md">
            <Stack gap={6} flex={1} miw={220}>
              <Text fw={550}>{t('learning.path.of-steps-completed', { completed, count: steps.length })}</Text>
              <Progress
                value={(100 * completed) / steps.length}
                aria-label={t('learning.path.steps-completed-on-your-learning-path')}
                size="md"
              />
              <Streak />
            </Stack>
            {next ? (
              <LinkButton {...stepLink(next)} rightSection={<Icon name="right" size={16} />}>
                {completed === 0 ? t('common.begin') : t('common.go-on')}: {next.step.title}
              </LinkButton>
            ) : (
              <Badge size="xl" leftSection={<Icon name="check" size={16} />}>
                {t('learning.path.everything-completed')}
              </Badge>
            )}
          </Group>
        </Section>
        <ol className={classes.modules} aria-label={t('learning.path.modules')}>
          {modules.map((module) => (
            <Entry key={module.module_number} module={module} />
          ))}
        </ol>
        {path && <Board path={path.path} />}
        {completed === 0 && modules.every(({ status }) => status === 'incomplete') && offered.length > 1 && (
          <section>
            <Title order={2} mb={4}>
              {t('learning.path.another-path-instead')}
            </Title>
            <Text size="sm" c="dimmed" mb="md">
              {t('learning.path.you-can-still-change-until-you')}
            </Text>
            <Offers offered={offered} {...(path && { present: path.path })} />
          </section>
        )}
      </Stack>
    </>
  )
}

const Entry = ({ module }: { module: Module }) => {
  const { module_number, title, summary, completed, total, status } = module
  const reward = rewardOf(module)
  return (
    <li>
      <Section className={classes.module}>
        <Group justify="space-between" gap="sm" mih={22}>
          <Text size="sm" c="dimmed">
            {t('learning.path.module', { module_number })}
          </Text>
          {status === 'completed' && (
            <Badge leftSection={<Icon name="check" size={13} />}>{t('learning.path.completed')}</Badge>
          )}
        </Group>
        <Title order={2}>
          <Link {...moduleLink(module)} underline="hover" c="inherit" className={classes.cover}>
            {title}
          </Link>
        </Title>
        <Text mt={4}>{summary}</Text>
        <Group gap="md" mt="md" wrap="nowrap">
          <Progress
            flex={1}
            maw={260}
            value={(100 * (completed ?? 0)) / (total ?? 1)}
            aria-label={t('learning.path.steps-completed-of', { title })}
          />
          <Text size="sm" c="dimmed">
            {t('learning.path.of-steps', {
              completed: completed ?? 0,
              total: total ?? 0,
              pays: reward > 0 && status === 'incomplete',
              reward: formatPoints(reward),
            })}
          </Text>
        </Group>
      </Section>
    </li>
  )
}
