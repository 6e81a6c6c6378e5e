import { Alert, Group, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { listModules, resetModule } from '../../../contract/learning.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { relativeTime } from '../../ui/format.tsx'
import { useTabTitle } from '../../ui/tab-title.ts'
import { findModule, nextIncomplete, stepLink, moduleLink, type Course, type Module } from './course.ts'
import { NotFoundInCourse } from './missing-part.tsx'
import { Sources } from './sources.tsx'
import { StepList } from './step-list.tsx'
import { locale, t } from '../../texts.ts'

export default function ModulePage() {
  const { module: module_number } = useParams({ from: '/learning/$module' })
  const course = useApiQuery(listModules, {})
  return (
    <QueryResult query={course} rows={6}>
      {(answer) => {
        const module = findModule(answer, module_number)
        return module ? <Content course={answer} module={module} /> : <NotFoundInCourse course={answer} />
      }}
    </QueryResult>
  )
}

function Content({ course, module }: { course: Course; module: Module }) {
  const { module_number, title, summary, completed, total, status, sources } = module
  useTabTitle(title)
  const next = nextIncomplete([module])
  const first = module.steps[0]
  return (
    <>
      <Text size="sm" mb="xs">
        <Link to="/learning">{t('common.all-modules')}</Link>
      </Text>
      <PageHead
        narrow
        title={title}
        about={summary}
        actions={
          next && (
            <LinkButton {...stepLink(next)} rightSection={<Icon name="right" size={16} />}>
              {next.step === first ? t('common.begin') : t('common.go-on')}
            </LinkButton>
          )
        }
      />
      <Stack gap="lg" maw={760}>
        {status === 'completed' && <Completed module={module} after={nextIncomplete(course.modules)?.module} />}
        <Section
          title={t('learning.module.steps')}
          about={t('learning.module.module-of-completed', {
            module_number,
            completed: completed ?? 0,
            total: total ?? 0,
          })}
        >
          <StepList module={module} />
        </Section>
        {sources.length > 0 && (
          <Section title={t('common.sources')} about={t('learning.module.where-this-comes-from-and-where')}>
            <Sources sources={sources} />
          </Section>
        )}
      </Stack>
    </>
  )
}

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' })

/** A completed module: the next one, and a reset after the cooldown. */
function Completed({ module, after }: { module: Module; after: Module | undefined }) {
  const [now] = useState(Date.now)
  const { module_number, title, repeat_eligible_at } = module
  const is_early = repeat_eligible_at !== null && Date.parse(repeat_eligible_at) > now
  return (
    <Alert color="plaza" icon={<Icon name="check" />} title={t('learning.module.you-have-completed-this-module')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t('learning.module.repeating-is-for-learning-a-step', {
            is_early: is_early
              ? t('learning.module.you-can-repeat-it-from-on', {
                  repeat_eligible_at: relativeTime(repeat_eligible_at),
                  format: exact.format(new Date(repeat_eligible_at)),
                })
              : t('learning.module.you-can-repeat-it-now'),
          })}
        </Text>
        <Group gap="xs">
          {after && (
            <LinkButton size="xs" {...moduleLink(after)}>
              {t('common.next', { title: after.title })}
            </LinkButton>
          )}
          <ConfirmButton
            label={t('learning.module.repeat-this-module')}
            button={{ size: 'xs', disabled: is_early }}
            endpoint={resetModule}
            input={{ params: { module_number } }}
            invalidates={[listModules]}
            done={() => t('learning.module.all-steps-of-are-open-again', { title })}
            title={t('learning.module.repeat-this-module-2')}
            action={t('learning.module.open-all-steps-again')}
          >
            <Text size="sm">{t('learning.module.all-its-steps-count-as-open')}</Text>
          </ConfirmButton>
        </Group>
      </Stack>
    </Alert>
  )
}
