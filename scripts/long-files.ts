import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files that take longer than half a minute, in the order in which they start: one that started last would run alone.
 * Those that start container engines mostly wait, so they alternate with those that compute.
 */
export const long_files = [
  'server/test/fuzz.test.ts',
  'server/hosting/engine/swarm/swarm.test.ts',
  'server/hosting/engine/docker/docker.test.ts',
  'server/test/stop.test.ts',
  'server/test/log-output.test.ts',
  'server/hosting/control/reconciling.test.ts',
  'server/test/locked-rows.test.ts',
  'server/test/signals.test.ts',
  'server/hosting/control/lost-hosts.test.ts',
  'server/test/failover.test.ts',
  'server/hosting/api/output.test.ts',
  'server/test/start-refusals.test.ts',
  'server/hosting/control/cleanup.test.ts',
  'server/hosting/control/maintenance.test.ts',
  'web/pages/admin/admin.browser.test.ts',
  'web/pages/public/public.browser.test.ts',
  'web/ui/every-page.browser.test.ts',
  'web/pages/build/apps.browser.test.ts',
  'web/pages/deployments/deployments.browser.test.ts',
  'web/pages/sign-in/sign-in.browser.test.ts',
  'web/pages/sign-in/authorize.browser.test.ts',
  'web/pages/account/account.browser.test.ts',
  'web/pages/people/chat.browser.test.ts',
]
/** Starts the long files first. Vitest itself knows durations of earlier runs only, which a fresh clone does not have. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const position = ({ moduleId }: TestSpecification) => {
      const at = long_files.indexOf(relative(this.ctx.config.root, moduleId))
      return at < 0 ? long_files.length : at
    }
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => position(a) - position(b)),
    )
  }
}
