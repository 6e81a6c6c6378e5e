import { table } from './output.ts'
import type { Session } from './session.ts'

export async function listApps({ plaza, output }: Session) {
  const { deployments } = await plaza.listDeployments()
  const rows = deployments.map((each) => [
    each.subdomain,
    each.status,
    each.health_status ?? '',
    `${each.ready_replicas}/${each.replicas}`,
    each.container_image,
    each.deployed_at ?? '',
  ])
  const head = ['NAME', 'STATUS', 'HEALTH', 'READY', 'IMAGE', 'SERVES SINCE']
  const text = rows.length === 0 ? 'Nothing is deployed yet: plaza deploy IMAGE --app NAME' : table(head, rows)
  output.result(deployments, text)
}
