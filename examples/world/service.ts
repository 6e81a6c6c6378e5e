import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../server/config.ts'
import { systemClock, type Clock } from '../../server/platform/clock.ts'
import { openLog } from '../../server/platform/log.ts'
import { startService } from '../../server/processes/start.ts'
import { freePort } from '../../server/test/free-port.ts'
import { example_registry } from './hosting.ts'
import { example_admin } from './world.ts'

/** Starts a service with its own embedded database, for scripts that use the console. `stop` removes both. */
export async function startExample({ clock = systemClock }: { clock?: Clock } = {}) {
  const data = await mkdtemp(join(tmpdir(), 'plaza-example-'))
  const port = await freePort()
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: data,
    LOG_LEVEL: 'error',
    ADMIN_EMAIL: example_admin.email,
    ADMIN_PASSWORD: example_admin.password,
    REGISTRY_CODE_HOST: example_registry,
    RATE_LIMIT_LOGIN: 'off',
    RATE_LIMIT_REGISTER: 'off',
  }
  const service = await startService({ config: readConfig(env), log: openLog('error'), clock })
  const stop = async () => {
    await service.stop()
    await rm(data, { recursive: true, force: true })
  }
  return { service, url: env.PUBLIC_URL, stop }
}
