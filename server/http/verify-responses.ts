import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'

// Optimising validators and checking the contract's own schemas takes as long as compiling.
const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } })
addFormats.default(ajv)

/**
 * For tests: validates every successful response against the endpoint's response schema, because the serialiser checks neither formats nor
 * enums. A mismatch becomes a 500.
 */
export function verifyResponses(fastify: FastifyInstance) {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const { endpoint } = request.routeOptions.config
    if (!endpoint || reply.statusCode >= 300 || typeof payload !== 'string') return payload
    const schema = reply.statusCode === 202 && endpoint.accepted ? endpoint.accepted : endpoint.response
    if (!ajv.validate(schema, JSON.parse(payload)))
      throw new Error(`${endpoint.method} ${endpoint.path} broke its contract: ${ajv.errorsText()}`)
    return payload
  })
}
