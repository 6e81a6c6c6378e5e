import { makeProofKey } from '../../proof-key.ts'
import { t } from '../../texts.ts'

/** Creates a PKCE pair. Throws with a text for the user outside a secure context. */
export async function newProofKey() {
  if (!isSecureContext) throw new Error(t('build.pkce.your-browser-computes-a-challenge-only'))
  return makeProofKey()
}
