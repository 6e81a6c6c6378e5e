import type { TObject, TSchema } from 'typebox'
import type { DecisionId } from '../../contract/decision-texts.ts'
import type { JsonSchema } from './json-schema.ts'
import { fieldsIn, type Parameter } from './openapi-parameters.ts'
import { exampleOf } from './schema-example.ts'

export interface WebhookOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: []
  parameters: Parameter[]
  requestBody: { required: true; content: { 'application/json': { schema: JsonSchema; example: unknown } } }
  responses: { '2XX': { description: string }; default: { description: string } }
  'x-decision': DecisionId
}

/** The requests that the service makes to the addresses of apps. */
export interface WebhookDeclarations {
  events: Readonly<Record<string, { summary: string; payload: TSchema }>>
  headers: TObject
  description: string
  tag: string
  decision: DecisionId
}

/** The requests as operations, by the type of their event. */
export const webhookOperations = ({ events, headers, description, tag, decision }: WebhookDeclarations) =>
  Object.fromEntries(
    Object.entries(events).map(([type, { summary, payload }]): [string, { post: WebhookOperation }] => [
      type,
      {
        post: {
          operationId: eventOperationId(type),
          tags: [tag],
          summary,
          description,
          security: [],
          parameters: fieldsIn('header', headers),
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: payload as JsonSchema, example: exampleOf(payload as JsonSchema) },
            },
          },
          responses: {
            '2XX': { description: 'The event arrived, and is not sent again.' },
            default: { description: 'The event did not arrive, and is sent again later. So it is without an answer.' },
          },
          'x-decision': decision,
        },
      },
    ]),
  )

/** `points.spent` is `onPointsSpent`. */
const eventOperationId = (type: string) =>
  `on${type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}`
