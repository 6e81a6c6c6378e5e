import { decisions } from '../../../contract/decisions.ts'

const { name_max, shared_namespace } = decisions['D-59'].value

/** The hosts that images may come from, each `host` or `host:port`; from one that is not set comes nothing. */
export interface Registries {
  /** The platform's own: everybody's images under one namespace each. */
  private: string | undefined
  /** The public one, of which only the official images are taken. */
  public: string | undefined
  /** The one beside a code host: any image. */
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
const reference_form = new RegExp(
  `^(?<host>${host_and_port})/(?<path>${component}(?:/${component})*)` +
    '(?::(?<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$',
)
const host_form = new RegExp(`^${host_and_port}$`)

/** Can this be the host of a registry, with its port where it has one? */
export const isRegistryHost = (text: string) => host_form.test(text)

/**
 * Reads a whole image reference: the grammar of the distribution project, with the host spelled out, in small letters, and
 * sha256 as the only digest. Undefined where the text is anything else.
 */
export function parseImage(text: string): ImageReference | undefined {
  const { host, path, tag, digest } = reference_form.exec(text)?.groups ?? {}
  if (host === undefined || path === undefined || host.length + 1 + path.length > name_max) return undefined
  return { host, path: path.split('/'), tag, digest }
}

/** The one spelling of a reference: a digest says it all, and no tag means `latest`. */
const spellImage = ({ host, path, tag = 'latest', digest }: ImageReference) =>
  `${host}/${path.join('/')}${digest === undefined ? `:${tag}` : `@${digest}`}`

/**
 * The canonical spelling of an image that the app may run (D-59); undefined for any other. Private images are fetched with
 * the platform's own credentials, so an app reaches only those under its client_id and those shared with all.
 */
export function allowedImage(registries: Registries, client_id: string, text: string): string | undefined {
  const image = parseImage(text)
  return image && mayRun(registries, client_id, image) ? spellImage(image) : undefined
}

function mayRun(registries: Registries, client_id: string, { host, path }: ImageReference) {
  const [namespace] = path
  if (host === registries.private) return path.length > 1 && (namespace === client_id || namespace === shared_namespace)
  if (host === registries.public) return path.length > 1 && namespace === 'library'
  return host === registries.code_host
}
