import { isCancel, password } from '@clack/prompts'
import type { Deployment } from '@plaza/client'
import { text as readAll } from 'node:stream/consumers'
import { readEnvFile } from './deploy.ts'
import { CliError, usage } from './failures.ts'
import { followRelease, type Waiting } from './releases.ts'
import { findDeployment, type Session } from './session.ts'

interface EnvOptions extends Waiting {
  app?: string
  file?: string
}

/** Lists the names of the variables; Plaza never shows their values. */
export async function listEnv(session: Session, { app }: Pick<EnvOptions, 'app'>) {
  const { id } = await findDeployment(session, app)
  const { releases } = await session.plaza.listDeploymentReleases({ id })
  const release = releases.find(({ status }) => status === 'current' || status === 'pending') ?? releases[0]
  const names = release?.env_names ?? []
  session.output.result({ names }, names.length === 0 ? 'There are no variables.' : names.join('\n'))
}

/** Sets the variables of a file, or one variable with a value from standard input or a prompt. */
export async function setEnv(session: Session, name: string | undefined, { file, ...options }: EnvOptions) {
  if ((name === undefined) === (file === undefined)) throw usage('Name one variable, or a file with --file.')
  if (name?.includes('='))
    throw usage('A value in the command would stay in the history of the shell: leave it out, and type it when asked.')
  // Before the question, so that nobody types a value in vain.
  const deployment = await findDeployment(session, options.app)
  const env_set = file === undefined ? { [name as string]: await readValue(name as string) } : await readEnvFile(file)
  return changeEnv(session, deployment, { env_set }, options)
}

async function readValue(name: string) {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const value = await password({ message: `Value of ${name}`, output: process.stderr })
  if (isCancel(value)) throw new CliError('interrupted', 'Nothing was changed.')
  return value
}

/** Removes variables. */
export const unsetEnv = async (session: Session, names: string[], options: EnvOptions) =>
  changeEnv(session, await findDeployment(session, options.app), { env_unset: names }, options)

async function changeEnv(
  session: Session,
  deployment: Deployment,
  changes: { env_set: Record<string, string> } | { env_unset: string[] },
  { timeout }: Waiting,
) {
  const { release } = await session.plaza.changeDeployment({ id: deployment.id, ...changes, wait: 1 })
  return followRelease(session, { deployment, release_id: release.id, timeout })
}
