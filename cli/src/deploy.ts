import { isCancel, select } from '@clack/prompts'
import type { Deployment } from '@plaza/client'
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { CliError, usage } from './failures.ts'
import { plain } from './output.ts'
import { awaitOutcome, followRelease, type Waiting } from './releases.ts'
import { chosen, findDeployment, type Session } from './session.ts'

export interface DeployOptions extends Waiting {
  app?: string
  tier?: string
  port?: number
  /** Not `--env-file`: Node reads that option itself, wherever it is in the command. */
  file?: string
}

/**
 * Rolls out an image and waits until it serves. Creates the deployment if none has this name, changes its image, or
 * restarts it if the image has the same name, so that its tag is pulled again.
 */
export async function deploy(session: Session, image: string | undefined, options: DeployOptions) {
  const { plaza } = session
  const { app, timeout } = options
  const { deployments } = await plaza.listDeployments()
  const is_new = app === undefined ? deployments.length === 0 : !deployments.some(({ subdomain }) => subdomain === app)
  if (is_new) return create(session, image, options)
  const deployment = chosen(deployments, app)
  const changes = await changesOf(image, options)
  if (changes === undefined) return restart(session, deployment, { timeout })
  const { releases } = await plaza.listDeploymentReleases({ id: deployment.id })
  const { release } = await plaza.changeDeployment({ id: deployment.id, ...changes, wait: 1 })
  // A call that changes nothing makes no release.
  if (releases.some(({ id }) => id === release.id)) return restart(session, deployment, { timeout })
  return followRelease(session, { deployment, release_id: release.id, timeout })
}

async function changesOf(image: string | undefined, { tier, port, file }: DeployOptions) {
  const env_set = file === undefined ? undefined : await readEnvFile(file)
  const changes = {
    ...(image !== undefined && { image }),
    ...(tier !== undefined && { tier }),
    ...(port !== undefined && { port }),
    ...(env_set && { env_set }),
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

/** Reads variables from a file of `NAME=value` lines. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw usage(`${path} cannot be read.`)
  })
  return parseEnv(text) as Record<string, string>
}

async function create(session: Session, image: string | undefined, options: DeployOptions) {
  const { app: subdomain, port, file, timeout } = options
  if (image === undefined || subdomain === undefined)
    throw usage('Nothing of this name is deployed yet. Name the image and the app: plaza deploy IMAGE --app NAME')
  const deployment = await session.plaza.createDeployment({
    subdomain,
    image,
    tier: options.tier ?? (await chooseTier(session)),
    ...(port !== undefined && { port }),
    ...(file !== undefined && { env_vars: await readEnvFile(file) }),
  })
  return followRelease(session, { deployment, timeout })
}

/** Asks for a tier on a terminal. Elsewhere fails with the list of tiers. */
async function chooseTier({ plaza, output }: Session) {
  const { tiers } = await plaza.listDeployTiers()
  const [only, ...others] = tiers
  if (only && others.length === 0) return only.slug
  const known = tiers.map((tier) => {
    const cost = tier.monthly_cost_points === null ? '' : `, ${tier.monthly_cost_points} points for 30 days`
    return { value: tier.slug, label: `${tier.slug}: ${tier.memory_limit_mb} MB${cost}` }
  })
  const list = known.map(({ label }) => `  ${plain(label)}`).join('\n')
  if (output.is_json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw usage(`Choose a tier with --tier:\n${list}`)
  const answer = await select({ message: 'Tier', options: known, output: process.stderr })
  if (isCancel(answer)) throw new CliError('interrupted', 'Nothing was deployed.')
  return answer
}

/** Restarts a deployment and waits until it runs. Fails with the reason if it does not. */
async function restart(session: Session, { id, subdomain }: Deployment, { timeout }: Waiting) {
  const { plaza, output } = session
  const newest = async () => (await plaza.listDeployLog({ id })).logs.find(({ action }) => action === 'restart')
  const before = await newest()
  const { container_image: image } = await plaza.restartDeployment({ id })
  const entry = await awaitOutcome(session, `Restarting ${subdomain}`, { timeout }, async () => {
    const found = await newest()
    return found === undefined || found.id === before?.id || found.status === 'pending' ? undefined : found
  })
  const { message: text_of_entry } = (entry.details ?? {}) as { message?: string }
  const message = plain(text_of_entry ?? '')
  if (entry.status !== 'succeeded')
    throw new CliError('failed', `The restart of ${subdomain} ${entry.status}: ${message}`, {
      code: 'deployment_failed',
    })
  const text = `${output.style('green', '✓')} ${subdomain} runs ${image}. ${message}`
  output.result({ deployment_id: id, app: subdomain, status: 'current', image, message }, text)
}

/** Returns to an earlier release and waits until it serves. */
export async function rollBack(session: Session, { app, to, timeout }: Waiting & { app?: string; to?: number }) {
  const { plaza } = session
  const deployment = await findDeployment(session, app)
  const { id } = deployment
  const release_id = to === undefined ? undefined : await releaseOf(session, id, to)
  const { release } = await plaza.rollBackDeployment({ id, release_id, wait: 1 })
  return followRelease(session, { deployment, release_id: release.id, timeout })
}

async function releaseOf({ plaza }: Session, id: string, number: number) {
  const { releases } = await plaza.listDeploymentReleases({ id })
  const found = releases.find((release) => release.number === number)
  if (!found)
    throw usage(`There is no release ${number}: these are kept: ${releases.map((each) => each.number).join(', ')}.`)
  return found.id
}
