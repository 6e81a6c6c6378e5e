import { browser_storage } from '../storage.ts'
import { element } from './element.ts'

const shown_ms = 2_000

/** Adds a copy button to every block of code. */
export function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
    button.addEventListener('click', () => void copy(block.querySelector('code')?.textContent ?? '', button))
    block.append(button)
  }
}

async function copy(text: string, button: HTMLButtonElement) {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  button.textContent = done ? 'Copied' : 'Select it and copy'
  button.classList.add('is-done')
  setTimeout(() => {
    button.textContent = 'Copy'
    button.classList.remove('is-done')
  }, shown_ms)
}

const storage_key = 'plaza.docs.reader'

/** Shows the same language in all samples, also on the next page. */
export function shareTabs() {
  const buttons = [...document.querySelectorAll<HTMLInputElement>('.tab-list input')]
  const show = (reader: string) => {
    for (const button of buttons) if (button.value === reader) button.checked = true
  }
  for (const button of buttons)
    button.addEventListener('change', () => {
      const top = button.getBoundingClientRect().top
      show(button.value)
      browser_storage.set(storage_key, button.value)
      // The samples above have changed height: keeps the clicked element in place.
      scrollBy({ top: button.getBoundingClientRect().top - top, behavior: 'instant' })
    })
  show(browser_storage.get(storage_key) ?? '')
}
