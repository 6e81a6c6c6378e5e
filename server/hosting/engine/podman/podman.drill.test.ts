import { engineContract } from '../../../test/engine/contract.ts'
import { describeEngines, pushFixtures, startEngines } from '../../../test/engine/harness.ts'
import type { SystemUnderTest } from '../../../test/engine/system-under-test.ts'

describeEngines('one host with Podman', async () => {
  const engines = await startEngines({ podman: true })
  await pushFixtures(engines)
  const sut: SystemUnderTest = {
    engines,
    kind: 'podman',
    spec: () => engines.host.spec,
    differences: { tells_no_oom: true, times_in_seconds: true, forgets_failed_starts: true },
  }
  engineContract(sut)
})
