import { parseArgs } from 'node:util'
import { WrongUsage, type Command, type OptionValues } from './command.ts'

export interface Parsed {
  parameters: string[]
  options: OptionValues<NonNullable<Command['options']>>
  wants_help: boolean
}

/**
 * Parses the arguments after the verb: `--name value`, `--name=value`, switches and parameters in any order; after `--` only parameters.
 * Throws a `WrongUsage` that names the wrong one.
 */
export function parseCommand(verb: string, command: Command, args: readonly string[]): Parsed {
  const declared = command.options ?? {}
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(
        Object.entries(declared).map(([name, { value }]) => [
          name,
          { type: value === undefined ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const options: Record<string, string | true> = {}
  const parameters: string[] = []
  let wants_help = false
  for (const token of tokens) {
    if (token.kind === 'positional') parameters.push(token.value)
    else if (token.kind === 'option' && token.name === 'help') wants_help = true
    else if (token.kind === 'option') {
      if (Object.hasOwn(options, token.name)) throw new WrongUsage(`"${verb}" takes ${token.rawName} once.`)
      options[token.name] = valueOf(verb, declared, token)
    }
  }
  if (!wants_help) checkParameters(verb, command.parameters ?? [], parameters)
  return { parameters, options, wants_help }
}

function valueOf(
  verb: string,
  declared: NonNullable<Command['options']>,
  { name, rawName, value }: { name: string; rawName: string; value: string | undefined },
): string | true {
  const option = Object.hasOwn(declared, name) ? declared[name] : undefined
  if (!option) throw new WrongUsage(`"${verb}" has no option ${rawName}.`)
  if (option.value === undefined) {
    if (value !== undefined) throw new WrongUsage(`${rawName} takes no value.`)
    return true
  }
  if (value === undefined || value === '') throw new WrongUsage(`${rawName} needs a value: ${rawName} ${option.value}.`)
  return value
}

function checkParameters(verb: string, declared: readonly string[], given: readonly string[]) {
  const needed = declared.filter((name) => name.startsWith('<')).length
  if (given.length < needed || given.length > declared.length)
    throw new WrongUsage(`"${verb}" takes ${declared.join(' ') || 'nothing more'}.`)
}
