import { compactJson } from './compact-json.ts'

/** The address of the service in the generated document and its examples. */
const usual_url = 'https://plaza.example'

/** The OpenAPI document as text, as a service at that address serves it. */
export function printDocument(document: Record<string, unknown>) {
  const [server] = (document.servers ?? []) as { url: string }[]
  const text = compactJson(document, 190)
  return `${server ? text.replaceAll(server.url, usual_url) : text}\n`
}
