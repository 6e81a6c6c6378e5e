import { admin_roles, isAdminRole } from '../../contract/kinds/admin-roles.ts'
import { makeAdmin } from '../accounts/registration.service.ts'
import { auditGrantedAdmin } from '../admin/service.ts'
import { publish_only } from '../platform/batching/invalidation-bus.ts'
import { defineCommand, exit_codes, WrongUsage } from './command.ts'
import { withDatabase } from './database.ts'

/** `grant <email> [role]`: grants an admin role to the account of an address, also while the service runs (D-19, D-135). */
export const grant = defineCommand({
  parameters: ['<email>', '[role]'],
  summary: 'makes the account with this address an admin (D-19)',
  help: [
    'It takes effect in running processes immediately, and is recorded in the audit log.',
    `The role is ${admin_roles[0]} by default; others are ${admin_roles.slice(1).join(', ')}. Further ones are added to it.`,
  ],
  run: (invocation) =>
    withDatabase(invocation, async ({ db, clock }) => {
      const { print, parameters } = invocation
      const [email = '', role = 'administrator'] = parameters
      if (!isAdminRole(role)) throw new WrongUsage(`The role is one of ${admin_roles.join(', ')}.`)
      const events = {
        admin_granted: async (...event: Parameters<typeof auditGrantedAdmin>) =>
          void (await auditGrantedAdmin(...event)),
      }
      const granted = await makeAdmin({ db, clock, events, invalidations: publish_only }, email, role)
      print(
        granted
          ? role === 'administrator'
            ? `${email} is an admin now.`
            : `${email} has the role ${role} now.`
          : `No account has the address ${email}. The person must register first.`,
      )
      return granted ? exit_codes.done : exit_codes.not_done
    }),
})
