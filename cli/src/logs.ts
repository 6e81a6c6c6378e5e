import { isPlazaError } from '@plaza/client'
import { plain } from './output.ts'
import { findDeployment, type Session } from './session.ts'

interface LogsOptions {
  app?: string
  follow?: true
  lines: number
}

const seen_max = 1_000

/** Prints the last lines of the containers; with `follow` also new lines, until the deployment stops or Ctrl-C. */
export async function showLogs(session: Session, { app, follow, lines: tail }: LogsOptions) {
  const { plaza, output } = session
  const { id } = await findDeployment(session, app)
  type Line = Awaited<ReturnType<typeof plaza.getDeploymentOutput>>['lines'][number]
  const print = (line: Line) =>
    output.result(
      line,
      lineText(line, (text) => output.style('dim', text)),
    )
  if (!follow) return (await plaza.getDeploymentOutput({ id, tail })).lines.forEach(print)
  // The stream has no ids: after an interruption it starts again, and lines already printed are skipped.
  const seen = new Set<string>()
  for (let wanted = tail; ; wanted = seen_max)
    try {
      for await (const event of plaza.followDeploymentOutput({ id, tail: wanted })) {
        if (event.type !== 'line' || seen.has(event.data.id)) continue
        seen.add(event.data.id)
        if (seen.size > seen_max) seen.delete(seen.values().next().value as string)
        print(event.data)
      }
      return output.note('The deployment has stopped.')
    } catch (error) {
      if (!isPlazaError(error, 'stream_broken')) throw error
      output.note('The connection was lost: connecting again.')
    }
}

/** One line that a container wrote. */
export const lineText = (
  { at, replica, text, note }: { at: string; replica: number; text: string; note: string | null },
  dim: (text: string) => string,
) => `${dim(`${at} ${replica}`)} ${note === null ? plain(text) : dim(`(${note}: lines are missing here)`)}`
