import { isCancel, password } from '@clack/prompts'
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
export async function setEnv(session: Session, name: string | undefined, options: EnvOptions) {
  return changeEnv(session, { env_set: await valuesOf(name, options.file) }, options)
}

async function valuesOf(name: string | undefined, file: string | undefined): Promise<Record<string, string>> {
  if ((name === undefined) === (file === undefined)) throw usage('Name one variable, or a file with --file.')
  if (file !== undefined) return readEnvFile(file)
  if (name?.includes('='))
    throw usage('A value in the command would stay in the history of the shell: leave it out, and type it when asked.')
  return { [name as string]: await readValue(name as string) }
}

async function readValue(name: string) {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const value = await password({ message: `Value of ${name}`, output: process.stderr })
  if (isCancel(value)) throw new CliError('interrupted', 'Nothing was changed.')
  return value
}

/** Removes variables. */
export const unsetEnv = (session: Session, names: string[], options: EnvOptions) =>
  changeEnv(session, { env_unset: names }, options)

async function changeEnv(
  session: Session,
  changes: { env_set: Record<string, string> } | { env_unset: string[] },
  { app, timeout }: EnvOptions,
) {
  const deployment = await findDeployment(session, app)
  const { release } = await session.plaza.changeDeployment({ id: deployment.id, ...changes, wait: 1 })
  return followRelease(session, { deployment, release_id: release.id, timeout })
}
