import { success_messages } from '../../../contract/success-messages.ts'
import { getDeploymentMetrics } from '../../../contract/deployment-metrics.ts'
import * as contract from '../../../contract/deployments.ts'
import { mount, type Http } from '../../http/mount.ts'
import { getAvailability } from './availability.service.ts'
import { getDomain, verifyDomain, type DomainsDeps } from './domains.service.ts'
import { readMetrics } from './metrics.service.ts'
import { changeErrors } from './releases.rules.ts'
import { changeDeployment, listReleases, rollBackDeployment } from './releases.service.ts'
import * as deployments from './service.ts'

export function deploymentsRoutes(http: Http, deps: deployments.DeploymentsDeps & DomainsDeps) {
  mount(http, contract.getHostingAvailability, () => getAvailability(deps))

  mount(http, contract.listDeployments, async ({ caller }) => ({
    deployments: await deployments.listDeployments(deps, caller),
  }))

  mount(http, contract.createDeployment, ({ caller, body }) => deployments.createDeployment(deps, caller, body), {
    rules: (body) => deployments.deploymentErrors(deps, body),
  })

  mount(http, contract.getDeployment, ({ caller, params }) => deployments.getDeployment(deps, caller, params.id))
  mount(http, contract.getDeploymentStatus, ({ caller, params }) => deployments.getDeployment(deps, caller, params.id))

  mount(
    http,
    contract.changeDeployment,
    ({ caller, params, query, body }) => changeDeployment(deps, caller, params.id, body, query.wait),
    { rules: (body) => changeErrors(deps, body) },
  )

  mount(http, contract.listDeploymentReleases, async ({ caller, params }) => ({
    releases: await listReleases(deps, caller, params.id),
  }))

  mount(http, contract.rollBackDeployment, ({ caller, params, query, body }) =>
    rollBackDeployment(deps, caller, params.id, body, query.wait),
  )

  mount(http, contract.destroyDeployment, async ({ caller, params }) => {
    const { id, status } = await deployments.destroyDeployment(deps, caller, params.id)
    return {
      id,
      message: status === 'destroyed' ? success_messages.deployment_destroyed : success_messages.deployment_removed,
    }
  })

  mount(http, contract.listDeployLog, async ({ caller, params }) => ({
    logs: await deployments.listLog(deps, caller, params.id),
  }))

  mount(http, contract.restartDeployment, ({ caller, params }) =>
    deployments.restartDeployment(deps, caller, params.id),
  )

  mount(http, contract.stopDeployment, ({ caller, params }) => deployments.stopDeployment(deps, caller, params.id))
  mount(http, contract.listDeployTiers, async () => ({ tiers: await deployments.listTiers(deps) }))
  mount(http, getDeploymentMetrics, ({ caller, params, query }) => readMetrics(deps, caller, params.id, query.period))
  mount(http, contract.getDeploymentDomain, ({ caller, params }) => getDomain(deps, caller, params.id))
  mount(http, contract.verifyDeploymentDomain, ({ caller, params }) => verifyDomain(deps, caller, params.id))
}
