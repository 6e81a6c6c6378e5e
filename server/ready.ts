// `node dist/server/ready.js [--wait SECONDS] [--pid PID]`: asks the process on this machine whether it is ready
// (D-93), using that process's settings; with --wait until it is, with --pid only while that process runs. For health
// checks of containers and for systemd. It loads nothing of the service. Exit code 0 means ready, 1 not ready.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const timeout_ms = 4_000
const poll_ms = 200

interface Answer {
  is_ready: boolean
  text: string
}

/** The address for the process's probes; undefined if it does not answer any. */
function probeAddress({ ROLES = '', HOST, PORT, PROBES_PORT, ROUTER_HOST, ROUTER_PORT }: NodeJS.ProcessEnv) {
  const roles = ROLES.split(',').map((role) => role.trim())
  const isRole = (role: string) => ROLES.trim() === '' || roles.includes(role)
  if (isRole('api')) return { host: HOST, port: PORT?.trim() || '3000' }
  if (PROBES_PORT?.trim()) return { host: HOST, port: PROBES_PORT.trim() }
  return isRole('router') ? { host: ROUTER_HOST, port: ROUTER_PORT?.trim() || '3080' } : undefined
}

/** An address of this machine for a listening host, because clients cannot connect to `0.0.0.0`. */
function connectable(host = '') {
  const name = host.trim() || 'localhost'
  if (name === '0.0.0.0') return '127.0.0.1'
  if (name === '::') return '[::1]'
  return name.includes(':') ? `[${name}]` : name
}

const ask = (url: string) =>
  new Promise<Answer>((done) => {
    const outgoing = get(url, { timeout: timeout_ms, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (chunk) => void (body += chunk))
      answer.on('error', () => done({ is_ready: false, text: `${url} did not finish its answer` }))
      answer.on('end', () =>
        done({ is_ready: answer.statusCode === 200, text: describe(body, answer.statusCode ?? 0) }),
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeout_ms / 1_000} s`)))
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      done({ is_ready: false, text: `${url} does not answer (${error.code ?? error.message})` }),
    )
  })

/** The failed checks in a response; the log of the process has the reasons. */
function describe(body: string, status: number) {
  if (status === 200) return 'ready'
  try {
    const { checks } = JSON.parse(body) as { checks: { name: string; status: string }[] }
    const failed = checks.filter((check) => check.status === 'failed').map(({ name }) => name)
    return `not ready: ${failed.join(', ')}`
  } catch {
    return `not ready: status ${status}`
  }
}

const usage = 'Usage: node dist/server/ready.js [--wait SECONDS] [--pid PID]'

/** The arguments as numbers; undefined if any is invalid. */
function readArguments(args: string[]) {
  try {
    const options = { wait: { type: 'string', default: '0' }, pid: { type: 'string', default: '0' } } as const
    const { wait, pid } = parseArgs({ args, options }).values
    const values = { wait_seconds: Number(wait), pid: Number(pid) }
    return values.wait_seconds >= 0 && Number.isInteger(values.pid) && values.pid >= 0 ? values : undefined
  } catch {
    return undefined
  }
}

function hasEnded(pid: number) {
  try {
    if (pid > 0) process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function isReady(args: string[]): Promise<Answer> {
  const given = readArguments(args)
  if (!given) return { is_ready: false, text: usage }
  const address = probeAddress(process.env)
  if (!address)
    return { is_ready: false, text: 'PROBES_PORT is not set: a process with these ROLES answers no probes.' }
  const url = `http://${connectable(address.host)}:${address.port}/readyz`
  const deadline = performance.now() + given.wait_seconds * 1_000
  for (;;) {
    const answer = await ask(url)
    if (answer.is_ready || performance.now() >= deadline) return answer
    if (hasEnded(given.pid)) return { is_ready: false, text: `process ${given.pid} has ended` }
    await pause(poll_ms)
  }
}

const { is_ready, text } = await isReady(process.argv.slice(2))
process[is_ready ? 'stdout' : 'stderr'].write(`${text}\n`)
process.exitCode = is_ready ? 0 : 1
