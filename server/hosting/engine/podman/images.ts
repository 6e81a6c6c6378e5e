import type { ResolvedImage } from '../docker/dialect.ts'
import { EngineError } from '../engine.ts'
import { orUndefined, type EngineClient } from '../docker/http-client.ts'
import { credential, encodePath, hostOf, partsOf, pullImage, readPull, type ImageRequest } from '../docker/images.ts'
import { libpod, libpod_version } from './libpod.ts'

interface PodmanImage {
  /** The digest of the manifest that was pulled for this processor. */
  Digest?: string
  RepoDigests?: string[] | null
}

/**
 * The image by digest. Podman cannot ask a registry without pulling. A multi-platform image is identified by the digest
 * of its index, which is valid on every host. Fails as a pull does.
 */
export async function resolveByPull(
  client: EngineClient,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<ResolvedImage> {
  const { path, digest } = partsOf(request.image)
  if (digest !== undefined) return { image: request.image, pulled: false }
  const known = await client.call<{ Id: string }[]>('GET', '/images/json', { signal })
  const id = await pullTag(client, request, signal)
  const { Digest, RepoDigests } = await libpod<PodmanImage>(client, 'GET', `/images/${id}/json`, { signal })
  const own = (RepoDigests ?? []).filter((each) => each.startsWith(`${path}@sha256:`))
  const image = own.find((each) => each !== `${path}@${Digest}`) ?? `${path}@${Digest}`
  const pulled = known.every((each) => each.Id.replace('sha256:', '') !== id)
  // Podman forgets the digest of an image whose tag moves, unless it was also pulled by digest.
  await pullImage(client, { ...request, image }, signal)
  if (pulled) await removeTag(client, request.image, signal)
  return { image, pulled }
}

/** Pulls an image by its tag; returns its id. */
async function pullTag(client: EngineClient, request: ImageRequest, signal: AbortSignal) {
  const { id } = await readPull(request, signal, (bounded) => {
    const query = { reference: request.image, quiet: 'true' }
    const call = { signal: bounded, query, version: libpod_version, ...credential(request.registry_auth) }
    return client.stream('POST', '/libpod/images/pull', call)
  })
  if (typeof id === 'string') return id
  throw new EngineError('registry_unreachable', `The image was missing after it was pulled from ${hostOf(request)}.`)
}

/** Removes the tag, so that a removal by digest removes the whole image. */
async function removeTag(client: EngineClient, image: string, signal: AbortSignal) {
  const { path: repo, tag } = partsOf(image)
  // Another caller may have removed it.
  await libpod(client, 'POST', `/images/${encodePath(image)}/untag`, { signal, query: { repo, tag } }).catch(
    orUndefined(404),
  )
}
