import { NotFoundPage } from '../../ui/error-pages.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, Section } from '../../ui/page-parts.tsx'
import type { Course } from './course.ts'

/** In the place of a module or step that is not there: what there is to read depends on the path, which may not be chosen. */
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
