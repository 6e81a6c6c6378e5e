import { resealEverything } from '../keys.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `reseal`: seals what is at rest under the first key, also while the service runs. */
export const reseal = defineCommand({
  summary: 'seals everything under the first of SECRET_KEYS, so that the others can go (docs/keys.md)',
  help: [
    'It needs SECRET_KEYS as the service has it: the new key first, the old ones behind it. It works in small batches, can be\n' +
      'interrupted and run again, and says what it did.',
  ],
  exit_codes: { 0: 'nothing needs another key any more', 1: 'something still needs another key' },
  run: (invocation) =>
    withDatabase(invocation, async ({ config, db, secrets }) => {
      // Otherwise a key would be generated here that the service does not have.
      if (config.database_url !== undefined && config.secret_keys.length === 0)
        throw new Error(
          'SECRET_KEYS is not set: set it as the service has it, the new key first and the old ones behind it.',
        )
      const sealed = await resealEverything(db, await secrets(), invocation.print)
      return sealed ? exit_codes.done : exit_codes.not_done
    }),
})
