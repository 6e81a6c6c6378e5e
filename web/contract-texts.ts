import { failures } from '../contract/errors.ts'
import { field_errors } from '../contract/field-errors.ts'
import { framework_details } from '../contract/framework-failures.ts'
import { openid_scope, scopes } from '../contract/kinds/scopes.ts'
import { mails_delayed, success_messages } from '../contract/success-messages.ts'

const keyed = (kind: string, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${kind}.${name}`, text]))

/**
 * The contract's texts that people see: failures, field errors, success messages and the grants of scopes, by their
 * keys in the catalogues of other languages. `{…}` is a value.
 */
export const contractTexts = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(failures).map(([name, { message }]) => [`failure.${name}`, message])),
  ...keyed('framework', framework_details),
  ...keyed('field', field_errors),
  ...keyed('success', success_messages),
  'success.mails_delayed': `{sentence} ${mails_delayed}`,
  ...Object.fromEntries(Object.entries(scopes).map(([name, { grants }]) => [`scope.${name}`, grants])),
  [`scope.${openid_scope.scope}`]: openid_scope.grants,
})
