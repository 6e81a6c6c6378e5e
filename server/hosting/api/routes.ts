import * as contract from '../../../contract/deployments.ts'
import { mount, type Http } from '../../http/mount.ts'
import { getAvailability } from './availability.service.ts'
import { getDomain, verifyDomain, type DomainsDeps } from './domains.service.ts'
import { readOutput, type OutputDeps } from './output.service.ts'
import * as deployments from './service.ts'

const destroyed = 'The deployment is destroyed for good, and its container with it.'

export function deploymentsRoutes(http: Http, deps: deployments.DeploymentsDeps & DomainsDeps & OutputDeps) {
  mount(http, contract.getHostingAvailability, () => getAvailability(deps))

  mount(http, contract.listDeployments, async ({ caller }) => ({
    deployments: await deployments.listDeployments(deps, caller),
  }))

  mount(http, contract.createDeployment, ({ caller, body }) => deployments.createDeployment(deps, caller, body), {
    rules: (body) => deployments.deploymentErrors(deps, body),
  })

  mount(http, contract.getDeployment, ({ caller, params }) => deployments.getDeployment(deps, caller, params.id))
  mount(http, contract.getDeploymentStatus, ({ caller, params }) => deployments.getDeployment(deps, caller, params.id))

  mount(http, contract.destroyDeployment, async ({ caller, params }) => ({
    ...(await deployments.destroyDeployment(deps, caller, params.id)),
    message: destroyed,
  }))

  mount(http, contract.listDeployLog, async ({ caller, params }) => ({
    logs: await deployments.listLog(deps, caller, params.id),
  }))

  mount(http, contract.restartDeployment, ({ caller, params }) =>
    deployments.restartDeployment(deps, caller, params.id),
  )

  mount(http, contract.stopDeployment, ({ caller, params }) => deployments.stopDeployment(deps, caller, params.id))
  mount(http, contract.listDeployTiers, async ({ caller }) => ({ tiers: await deployments.listTiers(deps, caller) }))
  mount(http, contract.getDeploymentDomain, ({ caller, params }) => getDomain(deps, caller, params.id))
  mount(http, contract.verifyDeploymentDomain, ({ caller, params }) => verifyDomain(deps, caller, params.id))

  mount(http, contract.getDeploymentOutput, async ({ caller, params, query }) => ({
    lines: await readOutput(deps, caller, params.id, query.tail),
  }))
}
