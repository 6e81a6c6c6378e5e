// `node dist/server/ready.js [--wait SECONDS]`: asks the process on this machine whether it is ready (D-93), by the settings of
// that process. For health checks of containers and for systemd: it loads nothing of the service. Exit code 0 ready, 1 not ready.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const timeout_ms = 4_000
const poll_ms = 200

interface Answer {
  is_ready: boolean
  text: string
}

/** Where the process answers probes; undefined where it does not. */
function probeAddress({ ROLES = '', HOST, PORT, PROBES_PORT, ROUTER_HOST, ROUTER_PORT }: NodeJS.ProcessEnv) {
  const roles = ROLES.split(',').map((role) => role.trim())
  const isRole = (role: string) => ROLES.trim() === '' || roles.includes(role)
  if (isRole('api')) return { host: HOST, port: PORT?.trim() || '3000' }
  if (PROBES_PORT?.trim()) return { host: HOST, port: PROBES_PORT.trim() }
  return isRole('router') ? { host: ROUTER_HOST, port: ROUTER_PORT?.trim() || '3080' } : undefined
}

/** An address of this machine for a host to listen on: `0.0.0.0` is no address to connect to. */
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

/** The failed checks of an answer, with their reasons. */
function describe(body: string, status: number) {
  if (status === 200) return 'ready'
  try {
    const { checks } = JSON.parse(body) as { checks: { name: string; status: string; reason: string | null }[] }
    const failed = checks.filter((check) => check.status === 'failed').map(({ name, reason }) => `${name}: ${reason}`)
    return `not ready: ${failed.join(', ')}`
  } catch {
    return `not ready: status ${status}`
  }
}

async function isReady(args: readonly string[]) {
  const [option, seconds] = args
  const wait_seconds = option === '--wait' ? Number(seconds) : 0
  if (
    (option !== undefined && option !== '--wait') ||
    args.length > 2 ||
    !(wait_seconds >= 0 && wait_seconds <= 86_400)
  )
    return { is_ready: false, text: 'Usage: node dist/server/ready.js [--wait SECONDS]' }
  const address = probeAddress(process.env)
  if (!address)
    return { is_ready: false, text: 'PROBES_PORT is not set: a process with these ROLES answers no probes.' }
  const url = `http://${connectable(address.host)}:${address.port}/readyz`
  const deadline = performance.now() + wait_seconds * 1_000
  let answer = await ask(url)
  while (!answer.is_ready && performance.now() < deadline) {
    await pause(poll_ms)
    answer = await ask(url)
  }
  return answer
}

const { is_ready, text } = await isReady(process.argv.slice(2))
process[is_ready ? 'stdout' : 'stderr'].write(`${text}\n`)
process.exitCode = is_ready ? 0 : 1
