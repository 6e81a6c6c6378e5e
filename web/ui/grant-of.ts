import { isScope, scopes } from '../../contract/kinds/scopes.ts'
import { contractText } from '../texts.ts'

/** The description of a scope; its name if the console does not know it. */
export const grantOf = (scope: string) => (isScope(scope) ? contractText(scopes[scope].grants) : scope)
