import tab from '@bomb.sh/tab/commander'
import { Command, InvalidArgumentError, Option } from 'commander'
import { readFileSync } from 'node:fs'
import { listApps } from './apps.ts'
import { deploy, rollBack } from './deploy.ts'
import { listEnv, setEnv, unsetEnv } from './env.ts'
import { exit_codes } from './failures.ts'
import { logIn, logOut } from './login.ts'
import { showLogs } from './logs.ts'
import { openSession, type Session } from './session.ts'
import { listen } from './webhooks.ts'

const about_codes: Record<keyof typeof exit_codes, string> = {
  failed: 'the deployment failed, or something unexpected did',
  usage: 'the command is not complete, or has an unknown option',
  not_signed_in: 'there is no key, or it is wrong or has expired',
  refused: 'Plaza refused the call, such as for an app that is not approved',
  unreachable: 'Plaza does not answer at this address',
  unknown_outcome: 'no outcome within the time; the deployment goes on',
  interrupted: 'interrupted by Ctrl-C; a deployment goes on',
}

export const help_after = `
Exit codes:
  0    done
${Object.entries(exit_codes)
  .map(([name, code]) => `  ${String(code).padEnd(4)} ${about_codes[name as keyof typeof exit_codes]}`)
  .join('\n')}

Environment:
  PLAZA_URL, PLAZA_CLIENT_ID, PLAZA_CLIENT_SECRET   used in place of “plaza login”, for build servers
  NO_COLOR                                          no colours

Completion: “plaza complete bash”, “zsh” or “fish” prints the script for the shell.`

const whole =
  (least: number, most = 999_999) =>
  (text: string) => {
    if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`)
    return Number(text)
  }

const version = () =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

const app_option = () => new Option('-a, --app <name>', 'the deployment; the only one by default')
const wait_option = () =>
  new Option('--timeout <seconds>', 'how long to wait for the outcome').argParser(whole(1)).default(600)

/** The command line. With `is_json` it prints no texts about wrong commands: the caller prints them as JSON. */
export function createProgram(signal: AbortSignal, is_json = false): Command {
  const program = new Command('plaza')
    .description('Deploys and watches an app on Plaza.')
    .version(version())
    .addHelpText('after', help_after)
    .showHelpAfterError('Run “plaza --help” for the commands.')
    .configureOutput(is_json ? { writeErr: () => {} } : {})
    .exitOverride()
  const asApp = async (options: { json?: true }, work: (session: Session) => Promise<unknown>) =>
    void (await work(await openSession(options, signal)))
  addSignIn(program, signal)
  addDeploying(program, asApp)
  addEnv(program, asApp)
  program
    .command('webhooks')
    .description('follow the events of the app')
    .command('listen')
    .description('show events as they happen, and forward them, signed as webhooks are')
    .argument('[address]', 'where to forward to, such as http://localhost:3000/webhooks')
    .action((address: string | undefined, options: Json) => asApp(options, (session) => listen(session, address)))
  for (const command of leavesOf(program)) command.option('--json', 'print JSON, for programs').exitOverride()
  tab(program)
  program.commands
    .find((command) => command.name() === 'complete')
    ?.description('print the script that completes commands')
  return program
}

interface Json {
  json?: true
}
type AsApp = (options: Json, work: (session: Session) => Promise<unknown>) => Promise<void>

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

function addSignIn(program: Command, signal: AbortSignal) {
  program
    .command('login')
    .description('connect this machine with an app; the browser asks for which')
    .argument('[url]', 'the address of Plaza; that of the last sign-in by default')
    .option('--no-browser', 'only print the address')
    .action((url: string | undefined, options: Json & { browser: boolean }) => logIn(url, options, signal))
  program
    .command('logout')
    .description('delete the key of this machine')
    .action((options: Json) => logOut(options, signal))
}

function addDeploying(program: Command, asApp: AsApp) {
  type Deploying = Parameters<typeof deploy>[2] & Json
  program
    .command('apps')
    .description('list what is deployed')
    .action((options: Json) => asApp(options, listApps))
  program
    .command('deploy')
    .description('roll an image out and wait until it serves; without an image, pull its tag again')
    .argument('[image]', 'the image with its registry, and a tag or digest')
    .addOption(app_option())
    .option('--tier <slug>', 'the tier, which sets limits and price')
    .addOption(new Option('--port <number>', 'the port on which the container answers').argParser(whole(1, 65_535)))
    .option('--file <path>', 'a file of lines NAME=value to set as variables')
    .addOption(wait_option())
    .action((image: string | undefined, options: Deploying) =>
      asApp(options, (session) => deploy(session, image, options)),
    )
  program
    .command('rollback')
    .description('go back to the release before, and wait until it serves')
    .addOption(app_option())
    .addOption(new Option('--to <number>', 'the number of a release').argParser(whole(1)))
    .addOption(wait_option())
    .action((options: Parameters<typeof rollBack>[1] & Json) => asApp(options, (session) => rollBack(session, options)))
  program
    .command('logs')
    .description('print what the containers wrote')
    .addOption(app_option())
    .option('-f, --follow', 'go on with each new line')
    .addOption(new Option('-n, --lines <number>', 'how many of the last lines').argParser(whole(0)).default(100))
    .action((options: Parameters<typeof showLogs>[1] & Json) => asApp(options, (session) => showLogs(session, options)))
}

function addEnv(program: Command, asApp: AsApp) {
  type EnvOptions = Parameters<typeof setEnv>[2] & Json
  const env = program.command('env').description('the variables of a deployment; their values are never shown')
  env
    .command('list')
    .description('list their names')
    .addOption(app_option())
    .action((options: EnvOptions) => asApp(options, (session) => listEnv(session, options)))
  env
    .command('set')
    .description('set one, with the value from standard input or typed when asked; or those of a file')
    .argument('[name]', 'its name')
    .option('--file <path>', 'a file of lines NAME=value')
    .addOption(app_option())
    .addOption(wait_option())
    .action((name: string | undefined, options: EnvOptions) =>
      asApp(options, (session) => setEnv(session, name, options)),
    )
  env
    .command('unset')
    .description('take some away')
    .argument('<names...>', 'their names')
    .addOption(app_option())
    .addOption(wait_option())
    .action((names: string[], options: EnvOptions) => asApp(options, (session) => unsetEnv(session, names, options)))
}
