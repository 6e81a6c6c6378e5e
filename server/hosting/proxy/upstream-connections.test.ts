import { expect, test } from 'vitest'
import { sharedService } from '../../test/harness.ts'
import { putDeployment, startUpstream, requestHost } from '../../test/router.ts'
import { router_settings } from '../../test/settings.ts'
import { waitUntil } from '../../test/wait.ts'

const plaza = await sharedService(router_settings)

/** A site that announces when it closes idle connections, and counts its connections. */
async function announcingSite(keep_alive: string) {
  let connections = 0
  const site = await startUpstream((_req, res) => void res.writeHead(200, { 'keep-alive': keep_alive }).end('kept'))
  site.server.on('connection', () => connections++)
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  return { host, sockets: site.sockets, connections: () => connections }
}

test('the router closes an idle connection before the time that its site announces', async () => {
  const patient = await announcingSite('timeout=60')
  const hasty = await announcingSite('timeout=1')
  for (const { host, sockets } of [patient, hasty])
    for (let times = 0; times < 2; times++) {
      expect((await requestHost(plaza, host)).body).toBe('kept')
      if (host === hasty.host) await waitUntil(() => sockets.size === 0, 'the close of the idle connection')
    }
  expect([patient.connections(), hasty.connections()]).toEqual([1, 2])
})

test('a connection serves one request at a time, and the next one when it is free', async () => {
  const held: (() => void)[] = []
  const ports: number[] = []
  const site = await startUpstream((req, res) => {
    ports.push(req.socket.remotePort ?? 0)
    held.push(() => res.end('done'))
  })
  const { host } = await putDeployment(plaza, { endpoint_port: site.port })
  const both = [requestHost(plaza, host), requestHost(plaza, host)]
  await waitUntil(() => held.length === 2)
  expect(new Set(ports).size).toBe(2)
  for (const end of held.splice(0)) end()
  await Promise.all(both)
  const third = requestHost(plaza, host)
  await waitUntil(() => held.length === 1)
  expect(ports.slice(0, 2)).toContain(ports[2])
  held[0]?.()
  expect((await third).body).toBe('done')
})
