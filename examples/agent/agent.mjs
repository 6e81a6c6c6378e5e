import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline/promises'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'

const { PLAZA_URL = 'https://plaza.example', CLIENT_ID, PORT = '4100' } = process.env
const redirectUrl = `http://127.0.0.1:${PORT}/callback`
const terminal = createInterface({ input: process.stdin })
const state = randomBytes(16).toString('base64url')
const kept = {}

const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'My agent', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  clientInformation: () => ({ client_id: CLIENT_ID }),
  state: () => state,
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  redirectToAuthorization: (address) => console.log(`${address}`),
}
const transport = () => new StreamableHTTPClientTransport(new URL('/mcp', PLAZA_URL), { authProvider })

// The newest revision of the protocol: with an older one no question can be asked.
const agent = new Client(
  { name: 'my-agent', version: '1.0.0' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
)
agent.setRequestHandler('elicitation/create', async ({ params }) => {
  console.log(params.message)
  const [line] = await once(terminal, 'line')
  return line === 'yes' ? { action: 'accept', content: { yes: true } } : { action: 'decline' }
})

/** Waits for the person to come back from the sign-in. */
async function comesBack() {
  const server = createServer().listen(Number(PORT), '127.0.0.1')
  for (;;) {
    const [request, response] = await once(server, 'request')
    const { searchParams } = new URL(request.url, redirectUrl)
    const is_ours = searchParams.get('state') === state
    response
      .writeHead(is_ours ? 200 : 400)
      .end(is_ours ? 'Go on in the terminal.' : 'This answer is not for this program.')
    if (!is_ours) continue
    server.close()
    return searchParams
  }
}

const first = transport()
try {
  await agent.connect(first)
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error
  await first.finishAuth(await comesBack())
  await agent.connect(transport())
}
const call = async (name, sent = {}) => {
  const { isError, content } = await agent.callTool({ name, arguments: sent })
  console.log(`${name}: ${isError ? 'refused ' : ''}${content[0].text}`)
}
await call('getPoints')
await call('spendPoints', { amount: 2, description: 'A question' })
// Beyond the limit of 24 hours: a yes does not help.
await call('spendPoints', { amount: 1_001, description: 'Many questions' })
await agent.close()
terminal.close()
