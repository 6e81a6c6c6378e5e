import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { AppCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { callTools } from '../../contract/mcp.ts'
import { endedWith } from '../http/ended-response.ts'
import { callInside } from '../http/inner-calls.ts'
import { isAuthorized, recordUse, routeOf, type Http } from '../http/mount.ts'
import { failureBody } from '../http/render-failure.ts'
import { compileCheck, refuseUnstorableText } from '../http/validation.ts'
import { Failure } from '../platform/failure.ts'
import { isDatabaseUnavailable, type Sql } from '../platform/postgres/database.ts'
import { keyRing, newSecret } from '../platform/secrets.ts'
import { mustAsk, questionFor, subjectOf, type Question } from './confirmation.service.ts'
import { canAsk, listedTools, requestOf, tools, type Arguments, type Tool } from './tools.rules.ts'

export interface McpDeps {
  db: Sql
  secrets: readonly [string, ...string[]]
  public_url: string
  version: string
  /** For tests. */
  fixtures?: McpFixtures | undefined
}

/** Adds handlers to the server of a request; the second argument signs the state of a question. */
// oxlint-disable-next-line typescript/no-deprecated
export type McpFixtures = (server: Server, mint: Questions['mint']) => void

/** Mounts the MCP server (D-156). */
export function mcpRoutes(http: Http, deps: McpDeps) {
  const questions = openQuestions(deps.secrets)
  const handler = createMcpHandler(
    ({ authInfo }) => serverFor({ http, questions, ...deps }, authInfo?.extra as unknown as FastifyRequest),
    { maxSubscriptions: decisions.agents.streams_max },
  )
  http.fastify.addHook('preClose', () => handler.close())
  const { onRequest, ...route } = routeOf(http, callTools)
  http.fastify.route({
    ...route,
    onRequest: async (request, reply) => {
      const { origin } = request.headers
      if (origin !== undefined && origin !== new URL(deps.public_url).origin)
        throw new Failure('origin_not_allowed', { origin })
      await onRequest.call(http.fastify, request, reply)
    },
    handler: async (request, reply) => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === 'string') headers.set(name, value)
      const { caller } = request
      const authInfo = {
        token: '',
        clientId: (caller as AppCaller).app_id,
        scopes: [...(caller as AppCaller).scopes],
        extra: request as unknown as Record<string, unknown>,
      }
      const sent = new Request(new URL(callTools.path, deps.public_url), { method: 'POST', headers })
      // A request is one message since revision 2025-06-18. For earlier revisions, the SDK accepts lists, which one proof would cover (RFC 9449).
      const parsedBody = Array.isArray(request.body) ? null : request.body
      const response = await handler.fetch(sent, { authInfo, parsedBody })
      recordUse(http, request)
      return reply.send(endedWith(response, () => isAuthorized(http, callTools, request, 'cached')))
    },
  })
}

type Questions = ReturnType<typeof openQuestions>

/** The signed states of questions: any process reads them, even after a new secret has been added. */
function openQuestions(secrets: McpDeps['secrets']) {
  const [newest, ...others] = keyRing(secrets, 'questions of tools').map((key) =>
    createRequestStateCodec<Question>({ key, ttlSeconds: decisions.agents.answered_within_seconds }),
  )
  return {
    mint: (question: Question) => newest!.mint(question),
    verify: (state: string, context: ServerContext) =>
      others.reduce((tried, codec) => tried.catch(() => codec.verify(state, context)), newest!.verify(state, context)),
  }
}

interface ServerDeps extends McpDeps {
  http: Http
  questions: Questions
}

function serverFor(deps: ServerDeps, request: FastifyRequest) {
  // The other class would convert our schemas to and from a schema library.
  // oxlint-disable-next-line typescript/no-deprecated
  const server = new Server(
    { name: 'plaza', title: 'Plaza', version: deps.version },
    { capabilities: { tools: {} }, requestState: { verify: deps.questions.verify } },
  )
  const { scopes } = request.caller as AppCaller
  server.setRequestHandler('tools/list', () => ({ tools: listedTools(scopes) }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.get(params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    try {
      return await callTool(deps, request, { tool, params, context })
    } catch (error) {
      return failedResult(error, request)
    }
  })
  deps.fixtures?.(server, deps.questions.mint)
  return server
}

interface ToolCall {
  tool: Tool
  params: CallToolRequest['params']
  context: ServerContext
}

const checks = new WeakMap<Tool, (value: unknown) => { value: unknown }>()

/** The arguments, checked by the schemas of the endpoint. Fails with `validation_failed`. */
function argumentsOf(tool: Tool, sent: unknown = {}) {
  refuseUnstorableText(sent)
  let check = checks.get(tool)
  if (!check) checks.set(tool, (check = compileCheck(tool.input as never, 'body')))
  return check(sent).value as Arguments
}

/** Calls a tool's endpoint, after the person has agreed if consent is needed. */
async function callTool(deps: ServerDeps, request: FastifyRequest, { tool, params, context }: ToolCall) {
  const caller = request.caller as AppCaller
  if (!caller.scopes.includes(tool.scope)) throw new Failure('insufficient_scope', { scope: tool.scope })
  const sent = argumentsOf(tool, params.arguments)
  if (!(await mustAsk(deps.db, caller, tool))) return callEndpoint(deps, request, { tool, sent, was_asked: false })
  const about = subjectOf(caller, tool, sent)
  const { inputResponses } = context.mcpReq
  const question = context.mcpReq.requestState<Question>()
  if (question?.about !== about || inputResponse(inputResponses, 'confirm').kind !== 'elicit')
    return ask(deps, caller, { tool, sent, about, context })
  if (acceptedContent(inputResponses, 'confirm')?.yes !== true) throw new Failure('confirmation_declined')
  const keyed = { idempotency_key: question.key, ...sent }
  return callEndpoint(deps, request, { tool, sent: keyed, was_asked: true })
}

interface Asked extends Pick<ToolCall, 'tool' | 'context'> {
  sent: Arguments
  about: string
}

/** Makes the client ask the person. Fails with `confirmation_needed` if it cannot. */
async function ask({ db, questions }: ServerDeps, caller: AppCaller, { tool, sent, about, context }: Asked) {
  const capabilities = (context.mcpReq.envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
  if (!canAsk(capabilities)) throw new Failure('confirmation_needed')
  const { message, answer } = await questionFor(db, caller, tool, sent)
  const requestedSchema = {
    type: 'object' as const,
    properties: { yes: { type: 'boolean' as const, title: answer } },
    required: ['yes'],
  }
  return inputRequired({
    inputRequests: { confirm: inputRequired.elicit({ message, requestedSchema }) },
    requestState: await questions.mint({ key: newSecret('agent_'), about }),
  })
}

async function callEndpoint(
  { http }: ServerDeps,
  { headers, ip, proof }: FastifyRequest,
  { tool, sent, was_asked }: { tool: Tool; sent: Arguments; was_asked: boolean },
) {
  const { headers: own, ...call } = requestOf(tool, sent)
  const { host = '', authorization = '' } = headers
  const sent_headers = { ...own, host, authorization, ...(call.body && { 'content-type': 'application/json' }) }
  const { status, text } = await callInside(
    http.fastify,
    { ...call, headers: sent_headers, address: ip },
    { agent: { was_asked }, proof },
  )
  const content: CallToolResult['content'] = [{ type: 'text', text }]
  return status < 300
    ? { content, structuredContent: JSON.parse(text) as Record<string, unknown> }
    : { content, isError: true }
}

/** A failure as a tool result: the body that the endpoint would have sent. */
function failedResult(error: unknown, request: FastifyRequest): CallToolResult | InputRequiredResult {
  if (!(error instanceof Failure)) {
    if (!isDatabaseUnavailable(error)) throw error
    return {
      content: [{ type: 'text', text: JSON.stringify({ error: 'unavailable', message: 'Service Unavailable' }) }],
      isError: true,
    }
  }
  request.refusal = { code: error.code, ...error.why }
  return { content: [{ type: 'text', text: JSON.stringify(failureBody(error)) }], isError: true }
}
