import { html, type Html } from '../http/html.ts'
import { highlighted } from './highlight.ts'

/** The readers for whom a sample is written, in the order of their tabs. */
export const readers = { curl: 'curl', node: 'Node', python: 'Python', browser: 'Browser' } as const
export type Reader = keyof typeof readers

export const isReader = (word: string): word is Reader => Object.hasOwn(readers, word)

export interface Sample {
  reader: Reader
  language: string
  code: string
}

/** A block of code. The script adds a button to copy it. */
export const codeBlock = (code: string, language: string): Html =>
  html`<div class="code">
    <pre tabindex="0"><code>${highlighted(code, language)}</code></pre>
  </div>`

/**
 * The same code in several languages, one shown at a time: radio buttons and a style rule, so that no script is needed.
 */
export function codeTabs(name: string, samples: readonly Sample[]): Html {
  const [first] = samples
  return html`<div class="tabs">
    <div class="tab-list" role="radiogroup" aria-label="Language of the sample">
      ${samples.map(
        ({ reader }) =>
          html`<label
            ><input type="radio" name="tab-${name}" value="${reader}" ${reader === first?.reader && 'checked'} /><span
              >${readers[reader]}</span
            ></label
          >`,
      )}
    </div>
    ${samples.map(({ reader, code, language }) => html`<div data-tab="${reader}">${codeBlock(code, language)}</div>`)}
  </div>`
}
