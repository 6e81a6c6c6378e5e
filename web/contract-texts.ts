import { failures } from '../contract/errors.ts'
import { openid_scope, scopes } from '../contract/scopes.ts'

/**
 * Texts of the contract that people see: messages of failures, what scopes grant. In English they stand there; other languages have them
 * under these keys.
 */
export const contractTexts = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(failures).map(([name, { message }]) => [`failure.${name}`, message])),
  ...Object.fromEntries(Object.entries(scopes).map(([name, { grants }]) => [`scope.${name}`, grants])),
  [`scope.${openid_scope.scope}`]: openid_scope.grants,
})
