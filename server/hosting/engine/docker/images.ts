import { EngineError, type EngineErrorCode, type RegistryAuth, type Removal, type Workload } from '../engine.ts'
import { hasStatus, orUndefined, EngineHttpError, shorten, type EngineClient } from './http-client.ts'
import { readProgress } from './streams.ts'

export type ImageRequest = Pick<Workload, 'image' | 'registry_auth'>

/** Deadlines of a registry's answers; a caller's shorter signal still applies. */
const resolve_seconds_max = 30
const pull_seconds_max = 600

/**
 * The image by digest. The engine resolves a tag at its registry. Fails with `image_not_found`, `registry_auth_failed` or
 * `registry_unreachable`.
 */
export async function resolveImage(client: EngineClient, request: ImageRequest, signal: AbortSignal): Promise<string> {
  const { path, digest } = partsOf(request.image)
  if (digest !== undefined) return request.image
  const answer = await withRegistryDeadline(resolve_seconds_max, request, signal, (bounded) =>
    client.call<{ Descriptor?: { digest?: string } }>('GET', `/distribution/${encodePath(request.image)}/json`, {
      signal: bounded,
      ...credential(request.registry_auth),
    }),
  )
  const found = answer.Descriptor?.digest
  if (found === undefined || !/^sha256:[0-9a-f]{64}$/.test(found))
    throw new EngineError('image_not_found', `${hostOf(request)} returned no digest for this image.`)
  return `${path}@${found}`
}

/** Pulls an image by digest unless it is present; true when it was pulled. Fails as {@link resolveImage} does. */
export async function fetchImage(client: EngineClient, request: ImageRequest, signal: AbortSignal): Promise<boolean> {
  if (await hasImage(client, request.image, signal)) return false
  await pullImage(client, request, signal)
  // A truncated stream reports no error, so only the image itself proves the pull.
  if (await hasImage(client, request.image, signal)) return true
  throw new EngineError('registry_unreachable', `The image was missing after it was pulled from ${hostOf(request)}.`)
}

/** Pulls an image by its digest. May end without an error and without the image: the caller checks that it exists. */
export const pullImage = (client: EngineClient, request: ImageRequest, signal: AbortSignal) =>
  readPull(request, signal, (bounded) => {
    const { path, digest = '' } = partsOf(request.image)
    const query = { fromImage: path, tag: digest }
    return client.stream('POST', '/images/create', { signal: bounded, query, ...credential(request.registry_auth) })
  })

/** Reads the progress of a pull to its end; returns the last report. Fails as {@link resolveImage} does. */
export const readPull = (
  request: ImageRequest,
  signal: AbortSignal,
  open: (bounded: AbortSignal) => Promise<AsyncIterable<Buffer>>,
) =>
  withRegistryDeadline(pull_seconds_max, request, signal, async (bounded) => {
    let last: Record<string, unknown> = {}
    for await (const report of readProgress(await open(bounded))) {
      if (typeof report.error === 'string') throw registryError(report.error, request)
      last = report
    }
    return last
  })

/** Removes an image by digest. An image in use stays. */
export async function removeImage(client: EngineClient, image: string, signal: AbortSignal): Promise<Removal> {
  try {
    await client.call('DELETE', `/images/${encodePath(image)}`, { signal })
  } catch (error) {
    if (hasStatus(error, 409)) return 'in_use'
    if (!hasStatus(error, 404)) throw error
  }
  return 'gone'
}

const hasImage = (client: EngineClient, image: string, signal: AbortSignal) =>
  client.call('GET', `/images/${encodePath(image)}/json`, { signal }).then(() => true, orUndefined(404))

/** The URL-safe alphabet with padding: older engines ignore a value without padding. */
export function credential(auth: RegistryAuth | undefined) {
  if (!auth) return {}
  const text = Buffer.from(JSON.stringify(auth)).toString('base64')
  return { registry_auth: text.replaceAll('+', '-').replaceAll('/', '_') }
}

export function partsOf(image: string) {
  const [named = '', digest] = image.split('@')
  const tag_at = named.indexOf(':', named.lastIndexOf('/'))
  const [path, tag] = tag_at < 0 ? [named, 'latest'] : [named.slice(0, tag_at), named.slice(tag_at + 1)]
  return { path, tag, digest }
}

/** The host of the registry, shown to owners in errors. */
export const hostOf = ({ image }: Pick<Workload, 'image'>) => image.slice(0, image.indexOf('/'))

export const encodePath = (image: string) => image.split('/').map(encodeURIComponent).join('/')

/** Runs a call that depends on a registry. A failure or timeout is reported as the registry's. */
async function withRegistryDeadline<Result>(
  seconds: number,
  request: ImageRequest,
  signal: AbortSignal,
  work: (bounded: AbortSignal) => Promise<Result>,
) {
  const deadline = AbortSignal.timeout(seconds * 1000)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (error instanceof EngineHttpError) throw registryError(error.message, request)
    if (deadline.aborted && !signal.aborted)
      throw new EngineError('registry_unreachable', `${hostOf(request)} did not answer in time.`)
    throw error
  }
}

/** Maps an engine's message about a registry to a fault. The image's name is removed first: a tenant chose its words. */
function registryError(message: string, { image, registry_auth }: ImageRequest): EngineError {
  const text_without_name = [image, partsOf(image).path, partsOf(image).path.split('/').slice(1).join('/')].reduce(
    (text, name) => text.replaceAll(name, ''),
    message,
  )
  const redacted = registry_auth ? message.replaceAll(registry_auth.password, '…') : message
  return new EngineError(faultOfMessage(text_without_name), shorten(`From ${hostOf({ image })}: ${redacted}`))
}

function faultOfMessage(text: string): EngineErrorCode {
  if (/no space left/i.test(text)) return 'no_capacity'
  if (/unauthorized|authentication required|no basic auth|access denied|\bdenied\b|forbidden/i.test(text))
    return 'registry_auth_failed'
  if (/manifest unknown|name unknown|not found|no such image|does not exist|no matching manifest/i.test(text))
    return 'image_not_found'
  return 'registry_unreachable'
}
