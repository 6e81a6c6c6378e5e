import MiniSearch from 'minisearch'
import { element } from './element.ts'

interface Entry {
  href: string
  title: string
  place: string
  text: string
}

interface Index {
  engine: MiniSearch<Entry>
  entries: ReadonlyMap<string, Entry>
}

const results_max = 30

/** The number of wrong letters allowed: one in a short word, two in a long one. */
const fuzziness = (term: string) => (term.length < 4 ? 0 : term.length < 8 ? 1 : 2)

/** Names match by their parts: `spendPoints` by "points", `insufficient_points` by either word. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Words of a question that are not about its subject. */
const small_words = new Set(
  'a an and can do does for from how i in is it my of on or the to what when where which why with ' +
    'das der die ein eine einen für ich ist kann man mein meine mit und von was wie wo zu'.split(' '),
)

/** Other words for those in titles: German ones and those of other platforms. A German question finds English pages. */
const other_words: Readonly<Record<string, string>> = {
  account: 'Konto',
  accounts: 'Konten',
  address: 'Adresse',
  amount: 'Betrag',
  answer: 'Antwort',
  app: 'Anwendung',
  apps: 'Anwendungen',
  balance: 'Guthaben Kontostand Saldo',
  call: 'Aufruf',
  chat: 'Nachrichten',
  confirm: 'bestätigen',
  credentials: 'Zugangsdaten',
  delete: 'löschen remove',
  deploy: 'bereitstellen hosten',
  deploying: 'bereitstellen hosten',
  errors: 'Fehler',
  events: 'Ereignisse',
  expired: 'abgelaufen',
  failure: 'Fehler',
  friends: 'Freunde',
  header: 'Kopfzeile',
  history: 'Verlauf',
  hold: 'vormerken reservieren',
  key: 'Schlüssel',
  learning: 'Lernen',
  limit: 'Grenze Limit',
  limits: 'Grenzen Limits',
  list: 'Liste auflisten',
  mail: 'E-Mail',
  message: 'Nachricht',
  notices: 'Benachrichtigungen Mitteilungen push notifications',
  paging: 'blättern Seiten',
  password: 'Passwort Kennwort',
  payment: 'Zahlung',
  payments: 'Zahlungen bezahlen',
  points: 'Punkte',
  quickstart: 'Einstieg Schnellstart loslegen',
  receive: 'empfangen',
  refund: 'Rückzahlung erstatten',
  refusal: 'Fehler Ablehnung',
  register: 'registrieren anmelden',
  replace: 'ersetzen rotate',
  request: 'Anfrage',
  sandbox: 'Testumgebung',
  scope: 'Berechtigung',
  scopes: 'Berechtigungen',
  search: 'suchen',
  secret: 'Geheimnis',
  send: 'senden schicken',
  session: 'Sitzung',
  sign: 'anmelden Anmeldung einloggen login',
  spend: 'ausgeben bezahlen charge pay',
  spending: 'ausgeben bezahlen',
  transfer: 'überweisen übertragen',
  user: 'Nutzer Benutzer',
  verify: 'prüfen bestätigen',
  versions: 'Versionen',
  webhook: 'Webhook Benachrichtigung',
  webhooks: 'Webhooks Benachrichtigungen',
}

const otherWordsOf = ({ title, place }: Entry) =>
  wordsOf(`${title} ${place}`)
    .flatMap((word) => other_words[word.toLowerCase()] ?? [])
    .join(' ')

async function readIndex(): Promise<Index> {
  const read = (await (await fetch('/docs/search.json')).json()) as Entry[]
  const entries = read.map((entry) => ({ ...entry, other_words: otherWordsOf(entry) }))
  const engine = new MiniSearch<Entry>({
    idField: 'href',
    fields: ['title', 'place', 'other_words', 'text'],
    // Accents are removed from words and questions.
    processTerm: (term) => term.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
    tokenize: wordsOf,
    searchOptions: {
      boost: { title: 4, other_words: 3, place: 2 },
      prefix: true,
      fuzzy: fuzziness,
      combineWith: 'AND',
    },
  })
  engine.addAll(entries)
  return { engine, entries: new Map(entries.map((entry) => [entry.href, entry])) }
}

function find({ engine, entries }: Index, query: string): Entry[] {
  const words = wordsOf(query)
  const telling = words.filter((word) => !small_words.has(word.toLowerCase()))
  const wanted = (telling.length > 0 ? telling : words).join(' ')
  const whole = engine.search(wanted)
  return (whole.length > 0 ? whole : engine.search(wanted, { combineWith: 'OR' }))
    .slice(0, results_max)
    .flatMap(({ id }) => entries.get(String(id)) ?? [])
}

/** Starts the search: its button, the keys `/` and Ctrl+K, and the dialog of results. */
export function startSearch() {
  const button = document.querySelector<HTMLButtonElement>('.to-search')
  if (!button) return
  let open: (() => void) | undefined
  const show = () => (open ??= makeDialog())()
  button.hidden = false
  button.addEventListener('click', show)
  document.addEventListener('keydown', (event) => {
    const is_key = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping(event))
    if (!is_key) return
    event.preventDefault()
    show()
  })
}

const isTyping = ({ target }: Event) =>
  target instanceof Element && target.matches('input:not([type=radio]), textarea, [contenteditable]')

/** Creates the dialog; the index is loaded when it is first opened. Returns the function that opens it. */
function makeDialog() {
  const list = element('ul', { role: 'listbox', id: 'found', 'aria-label': 'Found' })
  const note = element('p', { role: 'status' })
  const input = element('input', {
    type: 'text',
    role: 'combobox',
    placeholder: 'Search guides, calls and refusals',
    'aria-label': 'Search guides, calls and refusals',
    'aria-controls': 'found',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const dialog = element('dialog', { class: 'search', 'aria-label': 'Search' }, input, note, list)
  document.body.append(dialog)
  const reading = readIndex()
  const update = async () => {
    const index = await reading.catch(() => undefined)
    if (!index) return setNote('The search could not be loaded.')
    const query = input.value.trim()
    const found = query === '' ? [] : find(index, query)
    list.replaceChildren(...found.map(optionOf))
    choose(input, list, 0)
    setNote(query !== '' && found.length === 0 ? 'Nothing found.' : '')
  }
  const setNote = (text: string) => {
    note.textContent = text
    note.hidden = text === ''
  }
  setNote('')
  let updated: Promise<void> | undefined
  input.addEventListener('input', () => {
    updated = update()
  })
  input.addEventListener('keydown', (event) => moveChoice(event, input, list))
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element) follow(target.closest<HTMLElement>('[role=option]'), dialog)
  })
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter')
      void updated?.then(() => dialog.open && follow(list.querySelector('[aria-selected=true]'), dialog))
  })
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  return () => {
    dialog.showModal()
    input.select()
  }
}

const optionOf = ({ href, title, place }: Entry, at: number) =>
  element(
    'li',
    { role: 'option', id: `found-${at}`, 'data-href': href, 'aria-selected': 'false' },
    title,
    element('small', {}, place),
  )

function choose(input: HTMLInputElement, list: HTMLElement, at: number) {
  const options = [...list.children]
  const chosen = options[Math.max(0, Math.min(options.length - 1, at))]
  for (const option of options) option.setAttribute('aria-selected', String(option === chosen))
  if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
  else input.removeAttribute('aria-activedescendant')
  chosen?.scrollIntoView({ block: 'nearest' })
}

function moveChoice(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const at = [...list.children].findIndex((option) => option.getAttribute('aria-selected') === 'true')
  choose(input, list, at + step)
}

function follow(option: HTMLElement | null, dialog: HTMLDialogElement) {
  if (!option) return
  dialog.close()
  location.assign(option.dataset.href ?? '/docs')
}
