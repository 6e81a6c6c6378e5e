import { Ajv2020, type AnySchemaObject, type Options } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import { fieldMessage } from '../../contract/field-errors.ts'
import { readTextError, type ReadAs } from '../../contract/read-texts.ts'
import { email_local_max, email_max, uuid_format } from '../../contract/schema.ts'

/** RFC 5321 §4.5.3.1, RFC 1035 §2.3.4. An address that is too long gets only that error. */
function hasMailLengths(address: string) {
  const [local_part = '', domain = ''] = address.split('@')
  const labels = domain.split('.')
  return (
    address.length > email_max || (local_part.length <= email_local_max && labels.every(({ length }) => length <= 63))
  )
}

/** A compiler of schemas with the contract's formats and keywords. Validators stop at the first error. */
export function newAjv(options: Options) {
  // Compiling the schema of schemas takes 70 ms of each start, and the contract is valid.
  const ajv = new Ajv2020({ ...options, validateSchema: false })
  addFormats.default(ajv, ['date-time', 'email', 'uri'])
  const isAddress = ajv.formats.email as RegExp
  ajv.addFormat('email', (text) => isAddress.test(text) && hasMailLengths(text))
  // The uuid format of ajv-formats accepts `urn:uuid:`, which PostgreSQL refuses.
  ajv.addFormat('uuid', uuid_format)
  ajv.addKeyword('x-decision')
  ajv.addKeyword({ keyword: 'x-read-as', schemaType: 'string', type: 'string', errors: true, compile: readTextCheck })
  return ajv
}

/** Checks a text that other people read. In a field with a `minLength`, only that determines if it may be empty. */
function readTextCheck(read_as: ReadAs, { minLength }: AnySchemaObject) {
  const check: DataValidateFunction = (text: string) => {
    const fault = text === '' && minLength !== undefined ? undefined : readTextError(read_as, text)
    check.errors = fault === undefined ? [] : [{ keyword: 'x-read-as', message: fieldMessage(fault), params: {} }]
    return fault === undefined
  }
  return check
}
