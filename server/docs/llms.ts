import type { Guide } from './guides.ts'

/** The list of guides for language models (llmstxt.org), each with the address of its Markdown and one line. */
export const llmsText = (guides: readonly Guide[], base_url: string): string => `# Plaza

> An account-and-points platform that other people's apps build on: OpenID Connect and OAuth 2.0 with PKCE, points that apps spend, hold and
> return, webhooks, event streams, and hosting of containers.

The API is at ${base_url}. Bodies are JSON. Every movement of points takes an \`Idempotency-Key\`.

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](${base_url}/docs/guides/${name}.md): ${summary}\n`).join('')}
## Reference

- [OpenAPI document](${base_url}/api/openapi.json): every call with its fields, answers and refusals
- [Every refusal](${base_url}/docs/reference/refusals): what each error code means, and what to do about it
- [OpenID Connect discovery](${base_url}/.well-known/openid-configuration): addresses for sign-in libraries
`
