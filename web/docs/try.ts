import { requestOf, send, type Answer, type Call } from './call.ts'
import { credentialsFor, type Credentials } from './credentials.ts'
import { element } from './element.ts'

/** Adds to every operation a button that opens a form for making the call. */
export function addTryButtons() {
  for (const place of document.querySelectorAll<HTMLElement>('.try[data-call]')) {
    const button = element('button', { type: 'button' }, 'Try it')
    button.addEventListener('click', () => {
      const form = tryForm(JSON.parse(place.dataset.call ?? '{}') as Call, place)
      place.replaceChildren(form)
      form.querySelector<HTMLElement>('input, textarea, button')?.focus()
    })
    place.append(button)
  }
}

interface Field {
  name: string
  input: HTMLInputElement
}

const newKey = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('')

function fieldsOf({ parameters }: Call): Field[] {
  return parameters
    .filter(({ name }) => !/^last-event-id$/i.test(name))
    .map(({ name, in: place, required, example }) => {
      const value = /^idempotency-key$/i.test(name) ? newKey() : place === 'path' ? '' : example
      return { name, input: element('input', { value, required, placeholder: example, spellcheck: 'false' }) }
    })
}

function tryForm(call: Call, place: HTMLElement): HTMLFormElement {
  const id = place.closest('article')?.id ?? ''
  const credentials = credentialsFor(call, `${location.pathname}#${id}`)
  const fields = fieldsOf(call)
  const content = call.json ?? call.form
  const body = content === undefined ? undefined : bodyInput(JSON.stringify(content, null, 2))
  const sending = element('button', { class: 'is-main' }, `Send ${call.method}`)
  const stop = element('button', { type: 'button', hidden: true }, 'Stop')
  const output = element('output', { 'aria-live': 'polite' })
  const form = element(
    'form',
    { 'aria-label': `Try ${call.method} ${call.path}` },
    ...credentials.parts,
    ...fields.map(({ name, input }) => element('label', {}, name, input)),
    ...(body ? [element('label', {}, 'Body', body)] : []),
    ...(call.method === 'GET' ? [] : [element('p', {}, 'The call is real: what it does is done.')]),
    element('div', { class: 'buttons' }, sending, stop),
    output,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit({ call, credentials, fields, body, output, sending, stop })
  })
  return form
}

function bodyInput(text: string) {
  const input = element('textarea', { rows: String(Math.min(14, text.split('\n').length)), spellcheck: 'false' }, text)
  input.addEventListener('input', () => input.setCustomValidity(isJson(input.value) ? '' : 'This is not JSON.'))
  return input
}

function isJson(text: string) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Attempt {
  call: Call
  credentials: Credentials
  fields: readonly Field[]
  body: HTMLTextAreaElement | undefined
  output: HTMLOutputElement
  sending: HTMLButtonElement
  stop: HTMLButtonElement
}

async function submit({ call, credentials, fields, body, output, sending, stop }: Attempt) {
  const { url, headers } = requestOf(call, new Map(fields.map(({ name, input }) => [name, input.value])))
  const authorization = credentials.authorization()
  if (authorization !== undefined) headers.set('authorization', authorization)
  if (body) headers.set('content-type', 'application/json')
  const controller = new AbortController()
  stop.onclick = () => controller.abort()
  stop.hidden = call.reads !== 'events'
  sending.disabled = true
  let streamed = ''
  try {
    const init = { method: call.method, headers, signal: controller.signal, ...(body && { body: body.value }) }
    const answer = await send(url, init, (text) => {
      streamed = text
      output.replaceChildren(preOf(text))
    })
    output.replaceChildren(...answerParts(answer))
  } catch (error) {
    const is_stopped = error instanceof DOMException && error.name === 'AbortError'
    const note = element('p', {}, is_stopped ? 'Stopped.' : 'No answer: is Plaza reachable?')
    output.replaceChildren(note, ...(streamed === '' ? [] : [preOf(streamed)]))
  }
  sending.disabled = false
  stop.hidden = true
}

const preOf = (text: string) => element('pre', { tabindex: '0' }, element('code', {}, text))

function answerParts({ status, ms, headers, text, refusal }: Answer): HTMLElement[] {
  const meaning = element('a', { href: `/docs/reference/refusals#${refusal}` }, 'What does this mean?')
  return [
    element(
      'p',
      {},
      element('strong', {}, String(status)),
      ` in ${ms} ms. `,
      ...(refusal === undefined ? [] : [meaning]),
    ),
    ...(headers.length > 0 ? [preOf(headers.join('\n'))] : []),
    preOf(text),
  ]
}
