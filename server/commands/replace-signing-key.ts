import { replaceSigningKey, signingKeySealing } from '../oauth/signing-keys.service.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `replace-signing-key`: makes the next key of identity tokens. */
export const replaceKey = defineCommand({
  options: {
    compromised: { summary: 'the old key is in other hands: the new one signs at once, and the old one is withdrawn' },
  },
  summary: 'makes the next key of identity tokens (OpenID Connect), before its time has come',
  help: [
    'It needs SECRET_KEYS as the service has it. The next key is published for a day before it signs, and the old one until its last\n' +
      'token has expired, so that no app notices. With --compromised, identity tokens of the old key are refused by whoever reads the key\n' +
      'set again; access tokens and sessions are not touched. Processes take over the new key within 5 seconds.',
  ],
  run: (invocation) =>
    withDatabase(invocation, async ({ config, db, clock, secrets }) => {
      // Otherwise a key would be generated here that the service does not have.
      if (config.database_url !== undefined && config.secret_keys.length === 0)
        throw new Error('SECRET_KEYS is not set: set it as the service has it.')
      const keys = signingKeySealing(await secrets())
      const how = invocation.options.compromised ? 'compromised' : 'announced'
      const { kid, signs_from } = await replaceSigningKey({ db, clock, keys }, how)
      invocation.print(`The key ${kid} signs from ${signs_from.toISOString()} on.`)
      return exit_codes.done
    }),
})
