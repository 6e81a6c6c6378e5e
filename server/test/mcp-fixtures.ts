import { setTimeout } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CallToolResult,
  type ContentBlock,
  type GetPromptResult,
  type InputRequest,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { scope_names } from '../../contract/kinds/scopes.ts'
import type { McpFixtures } from '../mcp/routes.ts'
import { listedTools } from '../mcp/tools.rules.ts'

// A picture of one pixel and a sound of no length.
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const silence = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const image: ContentBlock = { type: 'image', data: pixel, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, value: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})

const elicit = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' as const } }, required: [field] },
  })
const sample = (question: string): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens: 100 },
})

const questions: Record<string, InputRequest> = {
  user_name: elicit('What is your name?', 'name'),
  user_context: elicit('What context should the prompt use?', 'context'),
  confirm: elicit('Please confirm', 'ok'),
  step1: elicit('Step 1: What is your name?', 'name'),
  step2: elicit('Step 2: What is your favorite color?', 'color'),
  capital_question: sample('What is the capital of France?'),
  greeting: sample('Generate a greeting'),
  client_roots: { method: 'roots/list' },
}

const capability_of: Record<string, string> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** Tools and prompts that ask: their rounds of questions. */
const rounds: Record<string, string[][]> = {
  test_input_required_result_elicitation: [['user_name']],
  test_input_required_result_sampling: [['capital_question']],
  test_input_required_result_list_roots: [['client_roots']],
  test_input_required_result_request_state: [['confirm']],
  test_input_required_result_multiple_inputs: [['user_name', 'greeting', 'client_roots']],
  test_input_required_result_multi_round: [['step1'], ['step2']],
  test_input_required_result_tampered_state: [['confirm']],
  test_input_required_result_capabilities: [['user_name', 'greeting']],
  test_input_required_result_prompt: [['user_context']],
}

const capabilitiesOf = ({ mcpReq: { envelope } }: ServerContext) =>
  (envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}

type Mint = Parameters<McpFixtures>[1]

/** The next questions of a tool or prompt, or undefined after the last round. */
async function nextQuestions(name: string, context: ServerContext, mint: Mint) {
  const isAnswered = (key: string) => inputResponse(context.mcpReq.inputResponses, key).kind !== 'missing'
  const all = rounds[name] ?? []
  const round = all.findLastIndex((keys) => keys.every(isAnswered)) + 1
  const able = Object.keys(capabilitiesOf(context))
  const asked = all[round]?.filter((key) => able.includes(capability_of[questions[key]!.method] ?? ''))
  if (!asked) return undefined
  return inputRequired({
    inputRequests: Object.fromEntries(asked.map((key) => [key, questions[key]!])),
    requestState: await mint({ key: name, about: String(round) }),
  })
}

const contents: Record<string, ContentBlock[]> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  test_embedded_resource: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 })),
  ],
}

const acts: Record<string, (context: ServerContext) => Promise<CallToolResult>> = {
  test_error_handling: async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_progress: async ({ mcpReq: { notify, _meta } }) => {
    const progressToken = _meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await setTimeout(50)
    }
    return { content: [text('done')] }
  },
  test_logging_tool: async ({ mcpReq }) => {
    // The suite tests that no line is sent to a client that wants none.
    // oxlint-disable-next-line typescript/no-deprecated
    await mcpReq.log('info', 'a line')
    return { content: [text('logged')] }
  },
  test_streaming_elicitation: async ({ mcpReq: { notify } }) => {
    await notify({ method: 'notifications/progress', params: { progressToken: 'a', progress: 50, total: 100 } })
    return { content: [text('done')] }
  },
  test_missing_capability: async (context) => {
    if (!('sampling' in capabilitiesOf(context)))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return { content: [text('done')] }
  },
}

const user = (content: ContentBlock): GetPromptResult['messages'][number] => ({ role: 'user', content })

const prompts: Record<string, { asks?: string[]; messages(sent: Record<string, string>): ContentBlock[] }> = {
  test_simple_prompt: { messages: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    asks: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    asks: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: { messages: () => [image, text('Please analyze the image above.')] },
  test_input_required_result_prompt: { messages: () => [text('This prompt has its context.')] },
}

const resources: Record<string, { mimeType: string; text?: string; blob?: string }> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
}
const template = 'test://template/{id}/data'

function readResource(uri: string) {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? []
  const of_template = {
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data ${id}` }),
  }
  const found = id === undefined ? resources[uri] : of_template
  if (!found) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, ...found } as { uri: string; text: string }] }
}

/**
 * The tools, prompts and resources that the protocol's conformance suite expects of a server, beside our tools: they pass through our transport,
 * authorization and signed states.
 */
export const conformanceFixtures: McpFixtures = (server, mint) => {
  server.registerCapabilities({ prompts: {}, resources: {}, completions: {}, logging: {} })
  const tool_names = [...Object.keys(contents), ...Object.keys(acts), ...Object.keys(rounds)]
  const fixture_tools = tool_names.map((name) => ({
    name,
    description: 'A fixture of the suite',
    inputSchema: { type: 'object' as const, properties: {} },
  }))
  server.setRequestHandler('tools/list', () => ({ tools: [...listedTools(scope_names), ...fixture_tools] }))
  server.setRequestHandler('tools/call', async ({ params: { name } }, context) => {
    if (!tool_names.includes(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
    const act = acts[name]
    if (act) return act(context)
    const state = context.mcpReq.requestState() === undefined ? 'no state' : 'state-ok'
    return (await nextQuestions(name, context, mint)) ?? { content: contents[name] ?? [text(state)] }
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { asks = [] }]) => ({
      name,
      description: 'A fixture of the suite',
      arguments: asks.map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: sent = {} } }, context) => {
    const prompt = prompts[name]
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`)
    return (await nextQuestions(name, context, mint)) ?? { messages: prompt.messages(sent).map(user) }
  })
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: template, name: 'template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => readResource(uri))
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
}
