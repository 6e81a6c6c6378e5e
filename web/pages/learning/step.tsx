import { Alert, Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useParams, useRouter } from '@tanstack/react-router'
import { me } from '../../../contract/accounts.ts'
import { getBoard, getStreak } from '../../../contract/boards.ts'
import { completeStep, listModules } from '../../../contract/learning.ts'
import { myPointsHistory } from '../../../contract/points.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatPoints } from '../../ui/format.tsx'
import { useTabTitle } from '../../ui/tab-title.ts'
import { WaitingRewards } from '../../ui/waiting-rewards.tsx'
import { findModule, neighbours, stepLink, moduleLink, type Course, type Module, type Step } from './course.ts'
import classes from './learning.module.css'
import { NotFoundInCourse } from './missing-part.tsx'
import { Markdown } from './markdown.tsx'
import { Sources } from './sources.tsx'
import { StepList } from './step-list.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function StepPage() {
  const params = useParams({ from: '/learning/$module/$step' })
  const course = useApiQuery(listModules, {})
  return (
    <QueryResult query={course} rows={8}>
      {(answer) => {
        const module = findModule(answer, params.module)
        const step = module?.steps.find(({ step_id }) => step_id === params.step)
        return module && step ? (
          <Reader key={step.step_id} course={answer} module={module} step={step} />
        ) : (
          <NotFoundInCourse course={answer} />
        )
      }}
    </QueryResult>
  )
}

const uses_arrows =
  'pre, .scroll-x, input, textarea, select, [role=radiogroup], [role=tablist], [role=menu], [role=dialog]'

function Reader({ course, module, step }: { course: Course; module: Module; step: Step }) {
  useTabTitle(step.title)
  const router = useRouter()
  const { before, after } = neighbours(course, step.step_id)
  /** Horizontal scrollers, menus, dialogs and fields use the arrow keys themselves. */
  const navigateTo = (place: StepRef) => (event: KeyboardEvent) => {
    if (!place || event.defaultPrevented || (event.target as Element).closest(uses_arrows)) return
    if (document.querySelector('[role=menu], [role=dialog]')) return
    void router.navigate(stepLink(place))
  }
  useHotkeys([
    ['ArrowLeft', navigateTo(before), { preventDefault: false }],
    ['ArrowRight', navigateTo(after), { preventDefault: false }],
  ])
  const at = module.steps.indexOf(step) + 1
  return (
    <div className={classes.reader}>
      <Section>
        <Text size="sm" c="dimmed">
          <RichText
            k="learning.step.step-of"
            link={<Link {...moduleLink(module)}>{module.title}</Link>}
            at={at}
            count={module.steps.length}
          />
        </Text>
        <Title order={1} tabIndex={-1} mt={4} mb="lg">
          {step.title}
        </Title>
        <Markdown text={step.body} />
        <Box mt="xl">
          <Completion module={module} step={step} after={after} />
        </Box>
        <StepNavigation before={before} after={step.completed ? undefined : after} />
      </Section>
      <Stack>
        <Section title={t('learning.step.this-module')} p="md">
          <StepList module={module} current_step_id={step.step_id} />
        </Section>
        {module.sources.length > 0 && (
          <Section title={t('common.sources')} p="md">
            <Sources sources={module.sources} />
          </Section>
        )}
      </Stack>
    </div>
  )
}

type StepRef = ReturnType<typeof neighbours>['after']

const StepNavigation = ({ before, after }: { before: StepRef; after: StepRef }) => (
  <Group justify="space-between" mt="lg" gap="xs">
    {before ? (
      <LinkButton
        {...stepLink(before)}
        variant="subtle"
        size="sm"
        px="xs"
        ml={-10}
        leftSection={<Icon name="left" size={15} />}
      >
        {t('learning.step.back')}
      </LinkButton>
    ) : (
      <span />
    )}
    {after && (
      <LinkButton
        {...stepLink(after)}
        variant="subtle"
        size="sm"
        px="xs"
        mr={-10}
        rightSection={<Icon name="right" size={15} />}
      >
        {t('learning.step.skip-for-now')}
      </LinkButton>
    )}
  </Group>
)

/** Completes the step, shows the reward and links to the next step. */
function Completion({ module, step, after }: { module: Module; step: Step; after: StepRef }) {
  const complete = useApiMutation(completeStep, {
    invalidates: [listModules, me, myPointsHistory, getStreak, getBoard],
  })
  const next_link =
    module.status === 'completed' && after?.module !== module ? (
      <Group gap="xs">
        {after && (
          <LinkButton {...moduleLink(after.module)} rightSection={<Icon name="right" size={16} />}>
            {t('common.next', { title: after.module.title })}
          </LinkButton>
        )}
        <LinkButton {...moduleLink(module)} variant="default">
          {t('learning.step.see-the-whole-module')}
        </LinkButton>
      </Group>
    ) : after ? (
      <LinkButton {...stepLink(after)} rightSection={<Icon name="right" size={16} />}>
        {t('common.next', { title: after.step.title })}
      </LinkButton>
    ) : (
      <LinkButton to="/learning">{t('common.all-modules')}</LinkButton>
    )
  if (step.completed)
    return (
      <Alert color="plaza" icon={<Icon name="check" />} role="status">
        <Stack gap="sm" align="flex-start">
          <Text fw={550}>
            {complete.data ? earnedText(complete.data, step) : t('learning.step.you-have-completed-this-step')}
          </Text>
          <WaitingRewards />
          {next_link}
        </Stack>
      </Alert>
    )
  return (
    <Stack gap="sm" align="flex-start">
      <FailureNote error={complete.error} />
      <Button
        size="md"
        onClick={() => complete.mutate({ params: { step_id: step.step_id } })}
        loading={complete.isPending}
        leftSection={<Icon name="check" size={17} />}
      >
        {t('learning.step.complete-this-step')}
      </Button>
      {step.reward !== null && (
        <Text size="sm" c="dimmed">
          {t('learning.step.pays-the-first-time-only', { reward: formatPoints(step.reward) })}
        </Text>
      )}
    </Stack>
  )
}

function earnedText({ status, reward }: AnswerOf<typeof completeStep>, step: Step) {
  if (reward !== null) return t('learning.step.completed-you-earned', { reward: formatPoints(reward) })
  if (status === 'already_completed') return t('learning.step.you-had-completed-this-step-already')
  return step.reward === null ? t('learning.step.completed') : t('learning.step.completed-again-a-step-pays-the')
}
