import { Suspense } from 'react'
import { createDeployment } from '../../../contract/deployments.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadingSkeleton, PageHead, Section } from '../../ui/page-parts.tsx'
import { may, NeedsRole } from '../build/may.tsx'
import { AvailabilityNote, isNotSetUp, useAvailability } from './availability.tsx'
import { Hosting } from './hosting.tsx'
import { t } from '../../texts.ts'

const NewDeploymentForm = lazyComponent(() => import('./new-deployment-form.tsx'))

export default function NewDeployment() {
  const { data: availability } = useAvailability()
  return (
    <>
      <PageHead
        title={t('common.deploy-a-container')}
        about={t('deployments.new-deployment.it-starts-at-once-its-page')}
      />
      <AvailabilityNote availability={availability} />
      {!(availability && isNotSetUp(availability)) && (
        <Hosting what={t('deployments.new-deployment.deploy-a-container-2')} has_app_choice>
          {(app) =>
            may(app, createDeployment) ? (
              <Suspense fallback={<LoadingSkeleton rows={8} />}>
                <NewDeploymentForm app={app} availability={availability} />
              </Suspense>
            ) : (
              <Section>
                <NeedsRole of={createDeployment} />
              </Section>
            )
          }
        </Hosting>
      )}
    </>
  )
}
