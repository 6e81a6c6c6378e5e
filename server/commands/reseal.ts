import { resealEverything } from '../keys.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `reseal`: seals stored values under the first key, also while the service runs. */
export const reseal = defineCommand({
  summary: 'seals all stored values under the first of SECRET_KEYS, so that the others can be removed (docs/keys.md)',
  help: [
    'It needs SECRET_KEYS as the service has it: the new key first, the old ones behind it. It works in small batches, can be\n' +
      'interrupted and run again, and says what it did.',
  ],
  exit_codes: { 0: 'nothing needs another key any more', 1: 'something still needs another key' },
  run: (invocation) =>
    withDatabase(invocation, async ({ db, secrets }) => {
      const sealed = await resealEverything(db, await secrets(), invocation.print)
      return sealed ? exit_codes.done : exit_codes.not_done
    }),
})
