import { replaceSigningKey, signingKeySealing } from '../oauth/signing-keys.service.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `replace-signing-key`: creates the next key of identity tokens. */
export const replaceKey = defineCommand({
  options: {
    compromised: {
      summary: 'the old key has leaked: the new one signs immediately, and the old one is removed from the key set',
    },
  },
  summary: 'creates the next key of identity tokens (OpenID Connect) ahead of schedule',
  help: [
    'It needs SECRET_KEYS as the service has it. The next key is published for a day before it signs, and the old one until its last\n' +
      'token has expired. With --compromised, apps refuse identity tokens of the old key once they have read the key set again; access\n' +
      'tokens and sessions are not touched. Processes use the new key within 5 seconds.',
  ],
  run: (invocation) =>
    withDatabase(invocation, async ({ db, clock, secrets }) => {
      const keys = signingKeySealing(await secrets())
      const how = invocation.options.compromised ? 'compromised' : 'announced'
      const { kid, signs_from } = await replaceSigningKey({ db, clock, keys }, how)
      invocation.print(`The key ${kid} signs from ${signs_from.toISOString()} on.`)
      return exit_codes.done
    }),
})
