import { readOrMakeRoot, registryKeySealing, replaceRoot } from '../hosting/api/registry.service.ts'
import { defineCommand, exit_codes } from './command.ts'
import { withDatabase } from './database.ts'

/** `registry-certificate`: prints the certificate that the private registry trusts. */
export const registryCertificate = defineCommand({
  options: {
    replace: {
      summary:
        'the key was leaked: makes another root, and the registry refuses all tokens until it has the new certificate',
    },
  },
  summary: 'prints the certificate (PEM) that the private registry trusts, for its setting rootcertbundle',
  help: [
    'It needs SECRET_KEYS as the service has it. The certificate is made at the first use and lasts twenty years; the keys that sign\n' +
      'tokens change every twelve hours and need nothing at the registry. With --replace, processes use the new root within 5 seconds.',
  ],
  run: (invocation) =>
    withDatabase(invocation, async ({ db, clock, secrets }) => {
      const deps = { db, clock, keys: registryKeySealing(await secrets()) }
      const root = await (invocation.options.replace ? replaceRoot(deps) : readOrMakeRoot(deps))
      invocation.print(root.certificate.trimEnd().replaceAll('\r\n', '\n'))
      return exit_codes.done
    }),
})
