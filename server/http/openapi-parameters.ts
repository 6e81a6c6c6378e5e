import type { TObject } from 'typebox'
import type { Declaration } from '../../contract/endpoint.ts'
import type { JsonSchema } from './json-schema.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
}

export const parametersOf = ({ params, query, headers, takes_proof }: Declaration): Parameter[] => [
  ...fieldsIn('path', params),
  ...fieldsIn('query', query),
  ...fieldsIn('header', headers),
  ...(takes_proof ? [proof_parameter] : []),
]

const proof_parameter: Parameter = {
  name: 'DPoP',
  in: 'header',
  required: false,
  schema: {
    type: 'string',
    description: 'A DPoP proof: the tokens are bound to its key (RFC 9449)',
    'x-decision': 'D-152',
  },
}

/** The fields of a part of a request as parameters. */
export function fieldsIn(place: Parameter['in'], schema: TObject | undefined): Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as JsonSchema
  return Object.entries(properties).map(([name, field]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: required.includes(name),
    schema: field,
  }))
}

const headerName = (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
