import { decisions } from '../../../contract/decisions.ts'

const { name_max, shared_namespace } = decisions.images

/** The registries that images may come from, each `host` or `host:port`; undefined disables one. */
export interface Registries {
  /** The platform's own registry, with one namespace per app. */
  private: string | undefined
  /** The public registry. Only its official images are allowed. */
  public: string | undefined
  /** The registry of a code host. All its images are allowed. */
  code_host: string | undefined
}

export interface ImageReference {
  /** `host` or `host:port`. */
  host: string
  path: readonly string[]
  tag: string | undefined
  digest: string | undefined
}

const host_label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const host_and_port = `(?:${host_label}(?:\\.${host_label})*|\\[[0-9a-f:]+\\])(?::[1-9][0-9]{0,4})?`
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const reference_pattern = new RegExp(
  `^(?<host>${host_and_port})/(?<path>${component}(?:/${component})*)` +
    '(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$',
)
const host_pattern = new RegExp(`^${host_and_port}$`)

/** True for a valid registry host, with or without a port. */
export const isRegistryHost = (text: string) => host_pattern.test(text)

/**
 * Parses an image reference by the grammar of the distribution project, with an explicit lower-case host and sha256 as
 * the only digest. Undefined if the text is invalid.
 */
export function parseImage(text: string): ImageReference | undefined {
  const { host, path, tag, digest } = reference_pattern.exec(text)?.groups ?? {}
  if (host === undefined || path === undefined || host.length + 1 + path.length > name_max) return undefined
  return { host, path: path.split('/'), tag, digest }
}

/** The canonical form of a reference: a digest replaces the tag, and the default tag is `latest`. */
const formatImage = ({ host, path, tag = 'latest', digest }: ImageReference) =>
  `${host}/${path.join('/')}${digest === undefined ? `:${tag}` : `@${digest}`}`

/**
 * The canonical form of an image that the app may run (D-59); undefined for other images. The platform pulls private
 * images with its own credentials, so an app may use only images under its client_id and in the shared namespace.
 */
export function resolveImage(registries: Registries, client_id: string, text: string): string | undefined {
  const image = parseImage(text)
  return image && isAllowed(registries, client_id, image) ? formatImage(image) : undefined
}

/** The prefixes of the images that the app may run: `registry/namespace/`. */
export function allowedPlaces(registries: Registries, client_id: string): string[] {
  const { private: own, public: official, code_host } = registries
  return [
    ...(own === undefined ? [] : [`${own}/${client_id}/`, `${own}/${shared_namespace}/`]),
    ...(official === undefined ? [] : [`${official}/library/`]),
    ...(code_host === undefined ? [] : [`${code_host}/`]),
  ]
}

function isAllowed(registries: Registries, client_id: string, { host, path }: ImageReference) {
  const [namespace] = path
  if (host === registries.private) return path.length > 1 && (namespace === client_id || namespace === shared_namespace)
  if (host === registries.public) return path.length > 1 && namespace === 'library'
  return host === registries.code_host
}
