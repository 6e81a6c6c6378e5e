import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files that take longer than half a minute, in their starting order: a long file that started last would run alone. Files that start
 * container engines mostly wait, so they alternate with those that compute.
 */
export const long_files = [
  'server/hosting/api/operations.test.ts',
  'server/social/events/events.test.ts',
  'server/http/openapi.test.ts',
  'server/hosting/api/releases.test.ts',
  'server/hosting/api/billing.test.ts',
  'server/hosting/control/reconcile/release-faults.drill.test.ts',
  'server/hosting/control/reconcile/swarm.drill.test.ts',
  'server/hosting/engine/swarm/swarm.drill.test.ts',
  'server/accounts/mail-outage.drill.test.ts',
  'server/test/fuzz.drill.test.ts',
  'server/test/crash.drill.test.ts',
  'server/backup/backup.drill.test.ts',
  'server/hosting/engine/docker/docker.drill.test.ts',
  'server/hosting/control/reconcile/releases.drill.test.ts',
  'server/hosting/control/reconcile/reconciling.drill.test.ts',
  'server/hosting/api/registry.drill.test.ts',
  'server/hosting/control/reconcile/container-faults.drill.test.ts',
  'server/migrations.drill.test.ts',
  'client/test/events.drill.test.ts',
  'server/leaving/killed.drill.test.ts',
  'server/hosting/control/hosts/full-hosts.drill.test.ts',
  'server/test/rolling-restart.drill.test.ts',
  'server/test/replica.drill.test.ts',
  'server/hosting/control/reconcile/maintenance.drill.test.ts',
  'server/hosting/control/output/collector.drill.test.ts',
  'server/hosting/control/hosts/isolation.drill.test.ts',
  'server/hosting/control/hosts/lost-hosts.drill.test.ts',
  'server/hosting/api/output.drill.test.ts',
  'server/test/locked-rows.drill.test.ts',
  'server/processes/many-processes.drill.test.ts',
  'server/commands/backup.drill.test.ts',
  'server/test/upgrade.drill.test.ts',
  'server/test/signals.drill.test.ts',
  'server/jobs/worker-recovery.drill.test.ts',
  'web/ui/every-page.browser.drill.test.ts',
  'web/pages/sign-in/authorize.browser.drill.test.ts',
  'web/pages/sign-in/sign-in.browser.drill.test.ts',
  'web/pages/sign-in/sign-in-once.browser.drill.test.ts',
  'web/pages/account/passkeys.browser.drill.test.ts',
  'web/pages/admin/admin.browser.drill.test.ts',
  'web/pages/admin/moderation.browser.drill.test.ts',
  'web/pages/public/public.browser.drill.test.ts',
  'web/pages/build/apps.browser.drill.test.ts',
  'web/pages/deployments/deployments.browser.drill.test.ts',
  'web/pages/account/account.browser.drill.test.ts',
  'web/pages/people/chat.browser.drill.test.ts',
]

/** Starts the long files first. Vitest itself only knows durations of earlier runs, which a fresh clone does not have. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const position = ({ moduleId }: TestSpecification) => {
      const at = long_files.indexOf(relative(this.ctx.config.root, moduleId))
      return at < 0 ? long_files.length : at
    }
    const sorted = (await super.sort(files)).toSorted((a, b) => position(a) - position(b))
    // A worker keeps its modules between files of the same project.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => sorted.filter((file) => file.project === project))
  }
}
