import { makeAdmin } from '../accounts/registration.service.ts'
import { auditGrantedAdmin } from '../admin/service.ts'
import { publish_only } from '../platform/batching/invalidation-bus.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `grant <email>`: makes the owner of an address an admin, also while the service runs (D-19). */
export const grant = defineCommand({
  parameters: ['<email>'],
  summary: 'makes the account with this address an admin (D-19)',
  help: ['It takes effect in running processes at once, and is in the audit log.'],
  run: (invocation) =>
    withDatabase(invocation, async ({ db, clock }) => {
      const { print, parameters } = invocation
      const [email = ''] = parameters
      const events = {
        admin_granted: async (...event: Parameters<typeof auditGrantedAdmin>) =>
          void (await auditGrantedAdmin(...event)),
      }
      const granted = await makeAdmin({ db, clock, events, invalidations: publish_only }, email)
      print(granted ? `${email} is an admin now.` : `Nobody has the address ${email}. The person registers first.`)
      return granted ? exit_codes.done : exit_codes.not_done
    }),
})
