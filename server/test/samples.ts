import type { StdioOptions } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { example_address, guide_names } from '../docs/guides.ts'
import type { Env } from '../platform/env-reader.ts'
import { package_root } from '../platform/package.ts'
import { blocksOf, type CodeBlock } from './guide.ts'
import type { TestService } from './harness.ts'
import { startProcess, type Started } from './processes.ts'
import { waitUntil } from './wait.ts'
import type { SomeApp } from './world.ts'

const folder = join(package_root, 'docs')

const blocksOfFile = (file: string) => blocksOf(file, readFileSync(join(folder, file), 'utf8'))

/** All code blocks of the guides for developers, in order. */
export const sampleBlocks = (): CodeBlock[] =>
  guide_names
    .map((name) => `${name}.md`)
    // A separate test runs the client's README.
    .filter((file) => existsSync(join(folder, file)))
    .flatMap(blocksOfFile)

/**
 * The sample with this id in docs/<file>, with the service's address instead of the example's. Throws if it does not exist. A test names
 * file and id as plain text, so that samples.test.ts sees that the sample is run.
 */
export function sampleText({ url }: Pick<TestService, 'url'>, file: string, id: string): string {
  const block = blocksOfFile(file).find((candidate) => candidate.id === id)
  if (!block) throw new Error(`docs/${file} has no block with id=${id}`)
  return block.text.replaceAll(example_address, url)
}

const commands: Readonly<Record<string, (code: string) => [string, ...string[]]>> = {
  plaza: (code) => ['sh', '-euc', code],
  curl: (code) => ['sh', '-euc', code],
  node: (code) => [process.execPath, '--input-type=module', '-e', code],
  python: (code) => ['python3', '-c', code],
}

interface SampleOptions {
  /** Code after the sample's. */
  appended?: string
}

/** Starts a sample whose id ends with `-curl`, `-plaza`, `-node` or `-python`; its standard input is a pipe. */
export function startSample(
  plaza: Pick<TestService, 'url'>,
  file: string,
  id: string,
  env: Env,
  { appended = '' }: SampleOptions = {},
): Started {
  const command = commands[id.split('-').at(-1) ?? '']
  if (!command) throw new Error(`${id} is run by no program`)
  const [program, ...args] = command(`${sampleText(plaza, file, id)}\n${appended}`)
  const options = { stdio: ['pipe', 'pipe', 'pipe'] as StdioOptions, detached: true }
  return startProcess(program, args, { PYTHONUNBUFFERED: '1', ...env }, options)
}

/** Ends a sample that would continue, with all its processes, when the test ends. */
export function endAfterwards({ child, ended }: Started) {
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM')
    await ended
  })
}

/** Runs a sample to its end. Throws if it fails. */
export async function runSample(plaza: Pick<TestService, 'url'>, file: string, id: string, env: Env): Promise<string> {
  const { code, stdout, stderr } = await startSample(plaza, file, id, env).ended
  if (code !== 0) throw new Error(`${id} of docs/${file} ended with ${code}: ${stderr} ${stdout}`)
  return stdout
}

/** The settings that identify an app to samples. */
export const credentialsOf = ({ client_id, client_secret }: Pick<SomeApp, 'client_id' | 'client_secret'>) => ({
  CLIENT_ID: client_id,
  CLIENT_SECRET: client_secret,
})

/** The first line that a sample writes. */
export async function firstLineOf({ stdout, stderr }: Started) {
  await waitUntil(
    () => stdout().includes('\n'),
    () => `a line (${stderr()})`,
  )
  return stdout().split('\n')[0] ?? ''
}
