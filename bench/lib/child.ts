import { fork, type ChildProcess } from 'node:child_process'
import type { Closers } from './world.ts'

/** The next message of a child. Fails if it ends first. */
export const nextMessage = <Message>(child: ChildProcess) =>
  new Promise<Message>((resolve, reject) => {
    const onEnd = (code: number | null) => reject(new Error(`${child.spawnargs.at(-1)} ended with ${code}`))
    child.once('exit', onEnd)
    child.once('message', (message) => {
      child.off('exit', onEnd)
      resolve(message as Message)
    })
  })

/** Forks a program, which the end of the bench stops. Waits for its first message. */
export async function startChild<Message>(
  closers: Closers,
  file: string,
  args: string[] = [],
  { exec_args = process.execArgv, env = {} }: { exec_args?: string[]; env?: Record<string, string> } = {},
) {
  const child = fork(file, args, {
    execArgv: exec_args,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  closers.add(async () => {
    child.kill()
    await ended
  })
  return { child, pid: child.pid ?? 0, first: await nextMessage<Message>(child) }
}
