import { Fragment, createElement, type ReactNode } from 'react'
import type { Texts } from '../../languages/texts.ts'
import { formatText, type TextKey } from '../texts.ts'

/** As in texts.ts, but a value may be an element, and a tag returns the element around its part. */
interface Values {
  value: ReactNode
  number: number
  case: string | boolean
  tag: (part: ReactNode) => ReactNode
}

type RichValues<K extends TextKey> = { [Name in keyof Texts[K]]: Values[Texts[K][Name] & keyof Values] }

/** A placeholder for an element while the text is made: a private-use character, which no text contains. */
const mark = '\uE000'

/**
 * A text of the catalogue with elements in it: `<RichText k="…" name={<b>…</b>} link={(part) => <Link>{part}</Link>}
 * />`.
 */
export function RichText<K extends TextKey>({ k, ...values }: { k: K } & RichValues<K>) {
  const elements: ReactNode[] = []
  const fill = (parts: unknown) =>
    createElement(
      Fragment,
      null,
      ...[parts]
        .flat()
        .flatMap((part): ReactNode[] =>
          typeof part === 'string'
            ? part.split(mark).map((piece, at) => (at % 2 === 1 ? elements[Number(piece)] : piece))
            : [part as ReactNode],
        ),
    )
  const given = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'function') return [name, (parts: ReactNode[]) => (value as Values['tag'])(fill(parts))]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [name, value]
    return [name, `${mark}${elements.push(value as ReactNode) - 1}${mark}`]
  })
  return fill(formatText<ReactNode>(k, Object.fromEntries(given)))
}
