import type { OpenApiDocument, Operation } from './openapi.ts'
import type { Parameter } from './openapi-parameters.ts'
import {
  FailureExamples,
  ParameterNames,
  ResponseNames,
  writtenParameter,
  type SharedParameters,
  type WrittenParameter,
} from './openapi-names.ts'
import { SchemaNames, type Extensions, type Reference, type Resources } from './openapi-references.ts'
import type { Response } from './openapi-responses.ts'

export type SharedOperation = Omit<Operation, 'responses' | 'parameters'> & {
  parameters?: (WrittenParameter | Reference)[]
  responses: Record<string, Response | Reference>
}

/** A document in which repeated parts are references to named components. */
export interface SharedDocument extends Omit<OpenApiDocument, 'paths' | 'webhooks' | 'components'> {
  paths: Record<string, Record<string, SharedOperation>>
  webhooks: Record<string, { post: object }>
  components: OpenApiDocument['components'] & {
    parameters: Record<string, WrittenParameter>
    responses: Record<string, Response>
    examples: Record<string, { value: unknown }>
  }
}

/** The named parts of the document. */
export interface Names {
  resources: Resources
  extended: Extensions
  parameters: SharedParameters
}

/** The same document with named components for the resources and parameters of the contract and for responses that operations share. */
export function shareComponents(document: OpenApiDocument, { resources, extended, parameters }: Names): SharedDocument {
  const names = new SchemaNames(resources, extended)
  const failures = new FailureExamples()
  const written = new ParameterNames(names.refer(mapValues(parameters, asWritten)))
  const referTo = (taken: readonly Parameter[]) =>
    names.refer(taken.map(writtenParameter)).map((each) => written.refer(each))
  const named = mapOperations(document.paths, (operation) => ({
    ...operation,
    responses: mapValues(names.refer(operation.responses), (response) => failures.name(response)),
  }))
  const responses = new ResponseNames(Object.values(named).flatMap((operations) => Object.values(operations)))
  return {
    ...document,
    paths: mapOperations(named, ({ parameters: taken, requestBody, responses: given, ...operation }) => {
      const { operationId, tags, summary, description, security, ...marks } = operation
      return {
        operationId,
        tags,
        summary,
        ...(description !== undefined && { description }),
        security,
        ...(taken && { parameters: referTo(taken) }),
        ...(requestBody && { requestBody: names.refer(requestBody) }),
        responses: responses.refer(given),
        ...marks,
      }
    }),
    webhooks: mapValues(document.webhooks, ({ post: { parameters: taken, requestBody, ...operation } }) => ({
      post: { ...operation, parameters: referTo(taken), requestBody: names.refer(requestBody) },
    })),
    components: {
      ...document.components,
      schemas: { ...document.components.schemas, ...names.schemas() },
      parameters: written.used(),
      responses: responses.used(),
      examples: failures.used(),
    },
  }
}

/** A named parameter as the document has it; typebox adds non-JSON properties to schemas, which serialising drops. */
const asWritten = (parameter: SharedParameters[string]) =>
  writtenParameter(JSON.parse(JSON.stringify({ ...parameter, required: false })) as Parameter)

const mapValues = <In, Out>(values: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))

const mapOperations = <In, Out>(paths: Record<string, Record<string, In>>, change: (operation: In) => Out) =>
  mapValues(paths, (operations) => mapValues(operations, change))
