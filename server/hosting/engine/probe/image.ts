import { createHash } from 'node:crypto'
import { EngineError } from '../engine.ts'
import type { EngineClient } from '../docker/http-client.ts'
import { orUndefined } from '../docker/http-client.ts'
import { readProgress } from '../docker/streams.ts'
import { programs } from './program.ts'

type Processor = keyof typeof programs

const processors: Record<string, Processor> = { x86_64: 'amd64', amd64: 'amd64', aarch64: 'arm64', arm64: 'arm64' }

/**
 * The name of the probe's image for a processor as engines name it; undefined if there is no program for it. The name
 * begins with a registry that refuses every connection, so that an engine never pulls an image of that name.
 */
export function probeImageName(architecture: string | undefined) {
  const processor = processors[architecture ?? '']
  return processor && `127.0.0.1:1/plaza/probe:${processor}-${digestOf(programOf(processor)).slice(0, 12)}`
}

/** The images of all processors as one archive that `docker load` reads. */
export function probeArchive(only?: string): Buffer {
  const layers = (Object.keys(programs) as Processor[]).flatMap((processor) => {
    const name = probeImageName(processor)!
    return only === undefined || only === name ? [{ name, ...imageOf(processor) }] : []
  })
  const manifest = layers.map(({ name, config_path, layer_path }) => ({
    Config: config_path,
    RepoTags: [name],
    Layers: [layer_path],
  }))
  return tarOf([
    ...layers.flatMap(({ config_path, config, layer_path, layer }) => [
      { path: config_path, content: config, mode: 0o644 },
      { path: layer_path, content: layer, mode: 0o644 },
    ]),
    { path: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)), mode: 0o644 },
  ])
}

/** Loads an image named `probeImageName` with this program into the engine. */
export async function loadProbeImage(client: EngineClient, name: string, signal: AbortSignal) {
  const has = () =>
    client.call('GET', `/images/${encodeURIComponent(name)}/json`, { signal }).then(() => true, orUndefined(404))
  if (await has()) return
  const query = { quiet: 'true' }
  const answer = await client.stream('POST', '/images/load', { signal, query, tar: probeArchive(name) })
  for await (const report of readProgress(answer))
    if (typeof report.error === 'string') throw new EngineError('refused', report.error)
  if (!(await has())) throw new EngineError('refused', 'The engine did not store the probe’s image.')
}

const programOf = (processor: Processor) => Buffer.from(programs[processor], 'base64')
const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

function imageOf(processor: Processor) {
  const layer = tarOf([{ path: 'probe', content: programOf(processor), mode: 0o755 }])
  const created = new Date(0).toISOString()
  const config = Buffer.from(
    JSON.stringify({
      created,
      architecture: processor,
      os: 'linux',
      config: { Entrypoint: ['/probe'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digestOf(layer)}`] },
      history: [{ created, created_by: 'plaza' }],
    }),
  )
  return { config_path: `${digestOf(config)}.json`, config, layer_path: `${digestOf(layer)}/layer.tar`, layer }
}

const block = 512

/** An archive of these files in ustar format, byte for byte reproducible. */
function tarOf(files: readonly { path: string; content: Buffer; mode: number }[]) {
  const entries = files.flatMap(({ path, content, mode }) => {
    const padding = Buffer.alloc((block - (content.length % block)) % block)
    return [headerOf(path, content.length, mode), content, padding]
  })
  return Buffer.concat([...entries, Buffer.alloc(2 * block)])
}

function headerOf(path: string, size: number, mode: number) {
  const header = Buffer.alloc(block)
  const octal = (number: number, length: number) => `${number.toString(8).padStart(length - 1, '0')}\0`
  header.write(path, 0)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(0, 12), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
