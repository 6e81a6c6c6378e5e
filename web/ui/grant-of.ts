import { isScope, scopes } from '../../contract/kinds/scopes.ts'
import { contractText } from '../texts.ts'

/** What a scope lets an app do; of one that is unknown here, its name. */
export const grantOf = (scope: string) => (isScope(scope) ? contractText(scopes[scope].grants) : scope)
