import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Env } from '../platform/env-reader.ts'
import { backup } from './backup.ts'
import { exit_codes, WrongUsage, type Command } from './command.ts'
import { auditExport } from './audit-export.ts'
import { doctor } from './doctor/doctor.ts'
import { grant } from './grant.ts'
import { jobs, jobsDrop, jobsRetry } from './jobs.ts'
import { parseCommand } from './parse.ts'
import { registryCertificate } from './registry-certificate.ts'
import { probeImage } from './probe-image.ts'
import { replaceKey } from './replace-signing-key.ts'
import { reseal } from './reseal.ts'
import { restore } from './restore.ts'
import { retention } from './retention.ts'
import { upgradeCheck } from './upgrade-check.ts'
import { usageOf, usageOfAll } from './usage.ts'
import { verify } from './verify.ts'

/** Every verb of `npm run admin`. A verb has two words if its noun has several verbs. */
const commands: Readonly<Record<string, Command>> = {
  'audit export': auditExport,
  backup,
  doctor,
  grant,
  jobs,
  'jobs drop': jobsDrop,
  'jobs retry': jobsRetry,
  'registry-certificate': registryCertificate,
  'probe-image': probeImage,
  'replace-signing-key': replaceKey,
  reseal,
  restore,
  retention,
  'upgrade-check': upgradeCheck,
  verify,
}

/** The maximum time for a command to end after the first signal. */
const interrupt_ms = 10_000

interface Outputs {
  stdout: Writable
  stderr: Writable
}

/**
 * Runs `npm run admin -- <args>` and returns the exit code: 0 done, 1 not done, 2 wrong usage, 130 interrupted, and those that the command
 * declares.
 */
export async function runCommand(
  env: Env,
  args: readonly string[],
  { stdout, stderr, signal }: Outputs & { signal: AbortSignal },
): Promise<number> {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const verb = verbOf(words)
  if (verb === undefined) return listCommands(words, { stdout, stderr })
  const command = commands[verb]!
  // The reader of the output has ended, as with `| head`.
  stdout.on('error', () => process.exit(exit_codes.not_done))
  signal.addEventListener('abort', () => setTimeout(() => process.exit(exit_codes.interrupted), interrupt_ms).unref())
  try {
    const { parameters, options, wants_help } = parseCommand(verb, command, words.slice(verb.split(' ').length))
    if (wants_help) {
      stdout.write(usageOf(verb, command))
      return exit_codes.done
    }
    return await command.run({
      env,
      parameters,
      options,
      signal,
      print: (line) => void stdout.write(`${line}\n`),
      write: async (line) => {
        if (!stdout.write(`${line}\n`)) await once(stdout, 'drain')
      },
      printError: (line) => void stderr.write(`${line}\n`),
    })
  } catch (error) {
    if (signal.aborted) {
      stderr.write('Interrupted.\n')
      return exit_codes.interrupted
    }
    if (!(error instanceof WrongUsage)) throw error
    stderr.write(`${error.message}\n\n${usageOf(verb, command)}`)
    return exit_codes.wrong_usage
  }
}

/** The longest verb that the words start with. */
const verbOf = (words: readonly string[]) =>
  Object.keys(commands)
    .filter((verb) => verb.split(' ').every((word, index) => words[index] === word))
    .sort((one, other) => other.length - one.length)[0]

function listCommands(words: readonly string[], { stdout, stderr }: Outputs) {
  if (words.length > 0 && words.every((word) => word === '--help' || word === '-h')) {
    stdout.write(usageOfAll(commands))
    return exit_codes.done
  }
  const unknown = words.find((word) => !word.startsWith('-'))
  if (unknown !== undefined) stderr.write(`There is no command "${unknown}".\n\n`)
  stderr.write(usageOfAll(commands))
  return exit_codes.wrong_usage
}
