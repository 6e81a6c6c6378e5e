import type { DeployRelease } from '@plaza/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './failures.ts'
import { plain } from './output.ts'
import type { Session } from './session.ts'

/** Reads are limited to 30 a minute. */
const poll_ms = 2_500

export interface Waiting {
  /** Seconds to wait for the outcome. */
  timeout: number
}

/** Repeats a read until it has an outcome. Fails with exit code 6 at the timeout; Ctrl-C ends only the waiting. */
export async function awaitOutcome<Outcome>(
  { output, signal }: Session,
  doing: string,
  { timeout }: Waiting,
  read: () => Promise<Outcome | undefined>,
): Promise<Outcome> {
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  const goes_on = (): void => output.note('\nInterrupted. The deployment goes on: see “plaza apps”.')
  signal.addEventListener('abort', goes_on, { once: true })
  try {
    return await output.during(doing, async (show) => {
      while (seconds() <= timeout) {
        const outcome = await read()
        if (outcome !== undefined) return outcome
        show(`${doing} (${seconds()} s)`)
        await sleep(poll_ms, undefined, { signal })
      }
      throw new CliError('unknown_outcome', `No outcome within ${timeout} s. The deployment goes on: see “plaza apps”.`)
    })
  } finally {
    signal.removeEventListener('abort', goes_on)
  }
}

export interface Followed extends Waiting {
  deployment: { id: string; subdomain: string }
  /** The release to follow; the newest one by default. */
  release_id?: string
}

/** Waits until a release serves, and prints it. Fails with the reason if it does not. */
export async function followRelease(session: Session, { deployment, release_id, timeout }: Followed) {
  const { id, subdomain } = deployment
  const release = await awaitOutcome(session, `Deploying ${subdomain}`, { timeout }, async () => {
    const { releases } = await session.plaza.listDeploymentReleases({ id })
    const found = releases.find((each) => release_id === undefined || each.id === release_id)
    return found?.status === 'pending' ? undefined : found
  })
  const { number, status, container_image, failure } = release
  if (status === 'failed' || status === 'superseded') throw failedRelease(subdomain, release)
  session.output.result(
    { deployment_id: id, app: subdomain, release: number, status, image: container_image, failure },
    `${session.output.style('green', '✓')} ${subdomain} runs ${container_image} (release ${number}).`,
  )
}

/** The failure of a release, with the last lines of the container. */
export function failedRelease(subdomain: string, { number, status, failure }: DeployRelease) {
  if (status === 'superseded')
    return new CliError('failed', `Release ${number} of ${subdomain} was superseded by a later one.`)
  const { message, output } = (failure ?? {}) as { message?: unknown; output?: unknown }
  const lines = Array.isArray(output) ? output : typeof output === 'string' ? output.split('\n') : []
  const text = [
    `Release ${number} of ${subdomain} failed: ${plain(typeof message === 'string' ? message : 'no reason is known')}`,
  ]
  const facts = { code: 'deployment_failed', release: number, failure }
  return new CliError('failed', [...text, ...lines.map((line) => `  ${plain(String(line))}`)].join('\n'), facts)
}
