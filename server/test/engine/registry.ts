import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { freePort } from '../free-port.ts'
import { endProgram, run, startProgram, until } from './shell.ts'

/** The behaviour of the program in a test image. `echo` returns the request, `small` is a web server of 1 MB, `nothing` has no program. */
export type FixtureMode = 'echo' | 'exit0' | 'exit1' | 'nolisten' | 'slow' | 'oom' | 'nothing' | 'small'

export interface FixtureImage {
  mode?: FixtureMode
  env?: Record<string, string>
  labels?: Record<string, string>
  /** Adds an incompressible layer of this size, for a slow pull. */
  extra_mb?: number
  /** The command of the image's health check, run every second. Its time-out is for a slow machine. */
  health_check?: string[]
}

export interface Registry {
  /** Host and port: the prefix of image references. */
  host: string
  /** Does nothing if it is already running. */
  start(): Promise<void>
  stop(): Promise<void>
}

export const pull_credentials = { username: 'plaza', password: 'pull-only' }
const htpasswd = 'plaza:$2y$05$abcdefghijklmnopqrstuuA2YqJrHVCZyfMFDak5hovHEWtgzf6t6'

/** Returns the `auth` section of a registry's configuration; called when the registry starts. */
export type RegistryAuth = (host: string) => Promise<string> | string

const noAuth: RegistryAuth = () => ''
export const passwordAuth =
  (folder: string): RegistryAuth =>
  () =>
    `auth: {htpasswd: {realm: plaza, path: ${folder}/htpasswd}}`

let registries = 0

/** A registry at an address that test hosts can reach. Registries of one folder share their images. */
export async function openRegistry(folder: string, address: string, auth: RegistryAuth = noAuth): Promise<Registry> {
  const host = `${address}:${await freePort(address)}`
  const name = `registry-${++registries}`
  const configuration = async () => [
    'version: 0.1',
    'log: {level: error, accesslog: {disabled: true}}',
    `storage: {filesystem: {rootdirectory: ${folder}/images}, delete: {enabled: true}}`,
    `http: {addr: "${host}", secret: one}`,
    await auth(host),
  ]
  await writeFile(join(folder, 'htpasswd'), `${htpasswd}\n`)
  let child: ChildProcess | undefined
  return {
    host,
    async start() {
      if (child) return
      await writeFile(join(folder, `${name}.yml`), (await configuration()).join('\n'))
      child = startProgram(join(folder, `${name}.log`), 'docker-registry', 'serve', join(folder, `${name}.yml`))
      await until(`registry ${host}`, () => fetch(`http://${host}/v2/`).then(Boolean, () => false))
    },
    async stop() {
      if (child) await endProgram(child)
      child = undefined
    },
  }
}

/** Pushes images to a registry without an engine: one layer with Node and the fixture program, and a manifest per image. */
export function imageMaker(folder: string, { host }: Registry) {
  let base: Promise<Blob> | undefined
  const uploaded_to = new Map<string, string>()
  return {
    /** Pushes an image as `path:tag`; returns its digest. Moves an existing tag. */
    async push(path: string, tag: string, image: FixtureImage = {}) {
      base ??= baseLayer(folder)
      const layers = [await base, ...(image.extra_mb ? [await noiseLayer(folder, image.extra_mb)] : [])]
      for (const layer of layers) await uploadBlob(host, uploaded_to, path, layer)
      const config = Buffer.from(JSON.stringify(configOf(image, layers)))
      const config_blob = { digest: digestOf(config), size: config.length, content: config }
      await uploadBlob(host, uploaded_to, path, config_blob)
      const manifest = JSON.stringify({
        schemaVersion: 2,
        mediaType: manifest_type,
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...named(config_blob) },
        layers: layers.map((layer) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...named(layer) })),
      })
      const answer = await fetch(`http://${host}/v2/${path}/manifests/${tag}`, {
        method: 'PUT',
        headers: { 'content-type': manifest_type },
        body: manifest,
      })
      if (answer.status !== 201) throw new Error(`manifest: ${answer.status} ${await answer.text()}`)
      return digestOf(Buffer.from(manifest))
    },
  }
}

const manifest_type = 'application/vnd.oci.image.manifest.v1+json'

interface Blob {
  digest: string
  size: number
  content: Buffer | { path: string }
}

const named = ({ digest, size }: Blob) => ({ digest, size })
const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`

function commandOf(mode: FixtureMode) {
  if (mode === 'nothing') return ['/no/such/program']
  if (mode === 'small') return ['/bin/busybox', 'httpd', '-f', '-p', '3000', '-h', '/']
  // Not with Node: crash loops start it many times.
  if (mode === 'exit0' || mode === 'exit1')
    return ['/bin/busybox', 'sh', '-c', `echo ${mode} begins; echo ${mode} complains >&2; exit ${mode.slice(-1)}`]
  return ['/bin/node', '/app.mjs', mode]
}

const second_ns = 1_000_000_000

const configOf = ({ mode = 'echo', env = {}, labels = {}, health_check }: FixtureImage, layers: Blob[]) => ({
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  os: 'linux',
  config: {
    Cmd: commandOf(mode),
    Env: [
      'PATH=/bin',
      'NODE_OPTIONS=--max-semi-space-size=1',
      ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ],
    Labels: labels,
    ...(health_check && {
      Healthcheck: { Test: ['CMD', ...health_check], Interval: second_ns, Timeout: 5 * second_ns, Retries: 2 },
    }),
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
})

/** This machine's Node with its libraries, busybox, and the fixture program. */
async function baseLayer(folder: string): Promise<Blob> {
  const root = join(folder, 'root')
  const libraries = [...(await run('ldd', process.execPath)).matchAll(/(\/\S+)\s+\(0x/g)].map(([, path]) => path ?? '')
  const files: [from: string, to: string][] = [
    [process.execPath, '/bin/node'],
    ['/bin/busybox', '/bin/busybox'],
    [new URL('./fixture-app.mjs', import.meta.url).pathname, '/app.mjs'],
    ...libraries.map((path): [string, string] => [path, path]),
  ]
  for (const [from, to] of files) {
    await mkdir(dirname(join(root, to)), { recursive: true })
    await copyFile(from, join(root, to))
  }
  for (const name of ['bin/node', 'bin/busybox']) await chmod(join(root, name), 0o755)
  return layerOf(folder, root, 'base.tar')
}

async function noiseLayer(folder: string, megabytes: number) {
  const root = join(folder, `noise-${megabytes}`)
  await mkdir(root, { recursive: true })
  await run('dd', 'if=/dev/urandom', `of=${root}/noise`, 'bs=1M', `count=${megabytes}`, 'status=none')
  return layerOf(folder, root, `noise-${megabytes}.tar`)
}

async function layerOf(folder: string, root: string, name: string): Promise<Blob> {
  const path = join(folder, name)
  await run('tar', '-C', root, '--owner=0', '--group=0', '-cf', path, '.')
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { digest: `sha256:${hash.digest('hex')}`, size: (await stat(path)).size, content: { path } }
}

async function uploadBlob(host: string, uploaded_to: Map<string, string>, path: string, { digest, content }: Blob) {
  const existing = await fetch(`http://${host}/v2/${path}/blobs/${digest}`, { method: 'HEAD' })
  if (existing.status === 200) return
  // A blob of another image is mounted instead of uploaded.
  const source = uploaded_to.get(digest)
  const query = source === undefined ? '' : `?mount=${digest}&from=${source}`
  const started = await fetch(`http://${host}/v2/${path}/blobs/uploads/${query}`, { method: 'POST' })
  if (started.status === 201) return
  const upload_url = new URL(started.headers.get('location') ?? '', `http://${host}`)
  upload_url.searchParams.set('digest', digest)
  const body = (Buffer.isBuffer(content) ? content : await readFile(content.path)) as Buffer<ArrayBuffer>
  const answer = await fetch(upload_url, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  })
  if (answer.status !== 201) throw new Error(`blob: ${answer.status} ${await answer.text()}`)
  uploaded_to.set(digest, path)
}
