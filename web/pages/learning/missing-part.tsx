import { NotFoundPage } from '../../ui/error-pages.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, Section } from '../../ui/page-parts.tsx'
import type { Course } from './course.ts'

/** Shown for an unknown module or step: not found, or the user has not chosen a path yet. */
export const NotFoundInCourse = ({ course }: { course: Course }) =>
  course.learning_path === null ? (
    <>
      <PageHead title="Choose a learning path first" />
      <Section>
        <EmptyState icon="book" title="Modules and steps belong to a path">
          You have not chosen yours yet.
          <br />
          <LinkButton to="/learning" size="sm" mt="md">
            Choose a path
          </LinkButton>
        </EmptyState>
      </Section>
    </>
  ) : (
    <NotFoundPage />
  )
