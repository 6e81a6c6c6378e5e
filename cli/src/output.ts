import { stripVTControlCharacters, styleText } from 'node:util'
import spinner from 'yocto-spinner'

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Output {
  is_json: boolean
  /** Prints a result: `value` for programs, or the text for people. */
  result(value: unknown, text: string): void
  /** Prints a sentence for people. */
  note(text: string): void
  /** Runs work with a spinner on a terminal, or with a printed line elsewhere. */
  during<Result>(text: string, work: (show: (text: string) => void) => Promise<Result>): Promise<Result>
  style(style: Style, text: string): string
}

/** Whether a stream shows colours: a terminal without NO_COLOR (no-color.org). */
export const hasColours = (stream: { isTTY?: boolean }, env = process.env) =>
  stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'

export function openOutput(is_json: boolean): Output {
  const is_coloured = !is_json && hasColours(process.stdout)
  const note = (text: string) => {
    if (!is_json) process.stderr.write(`${text}\n`)
  }
  return {
    is_json,
    note,
    result: (value, text) => process.stdout.write(is_json ? `${JSON.stringify(value)}\n` : `${text}\n`),
    style: (style, text) => (is_coloured ? styleText(style, text) : text),
    async during(text, work) {
      if (is_json || !process.stderr.isTTY) {
        note(text)
        return work(() => {})
      }
      const shown = spinner({ text, stream: process.stderr }).start()
      try {
        return await work((next) => void (shown.text = next))
      } finally {
        shown.stop()
      }
    },
  }
}

/** Formats a table in columns, without control characters in its cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(plain))
  const widths = head.map((_, at) => Math.max(...lines.map((row) => [...(row[at] ?? '')].length)))
  return lines
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Removes the control sequences of a terminal from foreign text. */
// oxlint-disable-next-line no-control-regex
export const plain = (text: string) => stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
