import { EngineError, type EngineErrorCode, type RegistryAuth, type Removal, type Workload } from '../engine.ts'
import { hasStatus, EngineHttpError, shorten, type EngineClient } from './http-client.ts'
import { readProgress } from './streams.ts'

type ImageRequest = Pick<Workload, 'image' | 'registry_auth'>

/** How long a registry may take; a caller's signal that is shorter holds. */
const resolve_seconds_max = 30
const pull_seconds_max = 600

/**
 * The image by digest. What is given by tag is asked of its registry, by the engine. Fails with `image_not_found`,
 * `registry_auth_failed` or `registry_unreachable`.
 */
export async function resolveImage(client: EngineClient, wanted: ImageRequest, signal: AbortSignal): Promise<string> {
  const { path, digest } = partsOf(wanted.image)
  if (digest !== undefined) return wanted.image
  const answer = await withRegistryDeadline(resolve_seconds_max, wanted, signal, (bounded) =>
    client.call<{ Descriptor?: { digest?: string } }>('GET', `/distribution/${encodePath(wanted.image)}/json`, {
      signal: bounded,
      ...credential(wanted.registry_auth),
    }),
  )
  const found = answer.Descriptor?.digest
  if (found === undefined || !/^sha256:[0-9a-f]{64}$/.test(found))
    throw new EngineError('image_not_found', 'The registry names no digest for this image.')
  return `${path}@${found}`
}

/** Has the engine fetch an image by digest unless it is there; true when it was fetched. Failures as in {@link resolveImage}. */
export async function fetchImage(client: EngineClient, wanted: ImageRequest, signal: AbortSignal): Promise<boolean> {
  if (await hasImage(client, wanted.image, signal)) return false
  const { path, digest = '' } = partsOf(wanted.image)
  await withRegistryDeadline(pull_seconds_max, wanted, signal, async (bounded) => {
    const chunks = await client.stream('POST', '/images/create', {
      signal: bounded,
      query: { fromImage: path, tag: digest },
      ...credential(wanted.registry_auth),
    })
    for await (const report of readProgress(chunks)) {
      if (typeof report.error === 'string') throw registryError(report.error, wanted)
    }
  })
  // A stream that was cut off says nothing; only the image itself proves that it came.
  if (await hasImage(client, wanted.image, signal)) return true
  throw new EngineError('registry_unreachable', 'The image was not there after it had been fetched.')
}

/** Removes an image by digest; one that a container uses stays. */
export async function removeImage(client: EngineClient, image: string, signal: AbortSignal): Promise<Removal> {
  try {
    await client.call('DELETE', `/images/${encodePath(image)}`, { signal })
  } catch (error) {
    if (hasStatus(error, 409)) return 'in_use'
    if (!hasStatus(error, 404)) throw error
  }
  return 'gone'
}

async function hasImage(client: EngineClient, image: string, signal: AbortSignal) {
  try {
    await client.call('GET', `/images/${encodePath(image)}/json`, { signal })
    return true
  } catch (error) {
    if (hasStatus(error, 404)) return false
    throw error
  }
}

/** As engines decode it: the URL's alphabet, but padded. One that is not padded older ones take for none at all. */
export function credential(auth: RegistryAuth | undefined) {
  if (!auth) return {}
  const text = Buffer.from(JSON.stringify(auth)).toString('base64')
  return { registry_auth: text.replaceAll('+', '-').replaceAll('/', '_') }
}

function partsOf(image: string) {
  const [named = '', digest] = image.split('@')
  const tag_at = named.indexOf(':', named.lastIndexOf('/'))
  return { path: tag_at < 0 ? named : named.slice(0, tag_at), digest }
}

const encodePath = (image: string) => image.split('/').map(encodeURIComponent).join('/')

/** Does what the engine asks of a registry; what fails then, or takes too long, is the registry's fault. */
async function withRegistryDeadline<Result>(
  seconds: number,
  wanted: ImageRequest,
  signal: AbortSignal,
  work: (bounded: AbortSignal) => Promise<Result>,
) {
  const deadline = AbortSignal.timeout(seconds * 1000)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (error instanceof EngineHttpError) throw registryError(error.message, wanted)
    if (deadline.aborted && !signal.aborted)
      throw new EngineError('registry_unreachable', 'The registry did not answer in time.')
    throw error
  }
}

/** What an engine's words about a registry mean. The image's own name is taken out first: a tenant chose it. */
function registryError(message: string, { image, registry_auth }: ImageRequest): EngineError {
  const words = [image, partsOf(image).path, partsOf(image).path.split('/').slice(1).join('/')].reduce(
    (text, name) => text.replaceAll(name, ''),
    message,
  )
  const said = registry_auth ? message.replaceAll(registry_auth.password, '…') : message
  return new EngineError(faultOfMessage(words), shorten(said))
}

function faultOfMessage(words: string): EngineErrorCode {
  if (/no space left/i.test(words)) return 'no_capacity'
  if (/unauthorized|authentication required|no basic auth|access denied|\bdenied\b|forbidden/i.test(words))
    return 'registry_auth_failed'
  if (/manifest unknown|name unknown|not found|no such image|does not exist|no matching manifest/i.test(words))
    return 'image_not_found'
  return 'registry_unreachable'
}
