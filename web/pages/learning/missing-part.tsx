import { NotFoundPage } from '../../ui/error-pages.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, Section } from '../../ui/page-parts.tsx'
import type { Course } from './course.ts'
import { t } from '../../texts.ts'

/** Shown for an unknown module or step: not found, or the user has not chosen a path yet. */
export const NotFoundInCourse = ({ course }: { course: Course }) =>
  course.learning_path === null ? (
    <>
      <PageHead title={t('learning.missing-part.choose-a-learning-path-first')} />
      <Section>
        <EmptyState icon="book" title={t('learning.missing-part.modules-and-steps-belong-to-a')}>
          {t('learning.missing-part.you-have-not-chosen-yours-yet')}
          <br />
          <LinkButton to="/learning" size="sm" mt="md">
            {t('learning.missing-part.choose-a-path')}
          </LinkButton>
        </EmptyState>
      </Section>
    </>
  ) : (
    <NotFoundPage />
  )
