import stringify from 'json-stringify-pretty-compact'

/** The OpenAPI document as text, without the address of the service that made it: what fits stands on one line. */
export function printDocument(document: Record<string, unknown>) {
  const { servers, ...rest } = document
  const text = stringify(rest, { maxLength: 140 })
  const [server] = (servers ?? []) as { url: string }[]
  return `${server ? text.replaceAll(`"${server.url}/`, '"/') : text}\n`
}
