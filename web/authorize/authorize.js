/**
 * The browser's part of an authorization: signs the user in, shows what an app asks for, and takes the answer back to
 * the app. It decides nothing: every check is the API's. What comes from outside is shown as text, never as markup.
 */

/**
 * @typedef {{ token: string, username: string }} SignedIn
 * @typedef {{ path: string, message: string }} Fault
 * @typedef {{ error?: string, message?: string, fields?: Fault[], errors?: { detail: string } }} Refusal
 * @typedef {{ token: string, user: { username: string } }} Login
 * @typedef {{ ok: boolean, status: number, retry_after: string | null, body: Refusal & Partial<Login & Request & { code: string }> }} Reply
 * @typedef {object} Request
 * @property {{ client_id: string, app_name: string, app_description: string | null, logo_url: string | null,
 *   website_url: string | null, owner_username: string, inserted_at: string }} app
 * @property {string} redirect_uri
 * @property {string} redirect_host
 * @property {{ scope: string, grants: string }[]} scopes
 * @property {boolean} consent_needed
 * @property {string} iss
 */

const storage_key = 'plaza.authorize'
const query = location.search

/** What the developer of the app has to mend, by the error of the answer. The page's message says what was wrong. */
const advice = {
  validation_failed: 'Add or correct the parameters named above in the link that sends people here.',
  unsupported_response_type: 'Send response_type=code: only the authorization code grant is offered.',
  invalid_request:
    'Correct the parameter named above. redirect_uri has to be one of those registered for the app, character by ' +
    'character, and code_challenge_method has to be S256.',
  invalid_client: 'Check client_id: it is shown where you registered the app.',
  unauthorized_client: 'The app waits for an admin of Plaza to approve it. Nobody can authorize it before that.',
  invalid_scope:
    'Ask only for scopes in the app’s allowed_scopes. More can be had by a scope request, which an admin decides.',
}

// The page

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id))

/** @param {string} id @param {string | null | undefined} text Empty text hides the element. */
function write(id, text) {
  element(id).textContent = text ?? ''
  element(id).hidden = !text
}

/** Shows one section and puts the focus where its reader begins. @param {string} id @param {string} [focus] */
function show(id, focus = `${id}-title`) {
  for (const section of document.querySelectorAll('main > section'))
    /** @type {HTMLElement} */ (section).hidden = section.id !== id
  document.title = `${element(`${id}-title`).textContent?.trim()} · Plaza`
  setBusy(id === 'waiting')
  element(focus).focus()
}

/** @param {boolean} busy */
function setBusy(busy) {
  document.querySelector('main')?.setAttribute('aria-busy', String(busy))
  for (const button of document.querySelectorAll('button')) button.disabled = busy
}

/** Says what went wrong, also to who hears the page; without a text, takes it back. @param {string} [text] */
function announce(text) {
  write('announcement', text)
  for (const input of document.querySelectorAll('input')) input.removeAttribute('aria-invalid')
}

/** @param {string} text */
function wait(text) {
  announce()
  write('waiting-text', text)
  show('waiting')
}

// The API

/**
 * Calls the API. A refusal is an answer too; status 0 means that none came.
 * @param {string} path
 * @param {{ token?: string, body?: object }} [options]
 * @returns {Promise<Reply>}
 */
async function call(path, { token, body } = {}) {
  try {
    const response = await fetch(new URL(`../api${path}`, import.meta.url), {
      method: body ? 'POST' : 'GET',
      credentials: 'omit',
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { ok, status, headers } = response
    return { ok, status, retry_after: headers.get('retry-after'), body: await response.json() }
  } catch {
    return { ok: false, status: 0, retry_after: null, body: {} }
  }
}

/** @param {Reply} reply */
function sentence({ status, retry_after, body }) {
  if (status === 0) return 'Plaza cannot be reached. Check your connection and try again.'
  const text = body.message ?? body.errors?.detail ?? 'Something went wrong.'
  return retry_after ? `${text} You can try again in ${waitingTime(Number(retry_after))}.` : text
}

/** @param {number} seconds */
function waitingTime(seconds) {
  const [amount, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
}

// Who is signed in: known to this tab only, and gone with it

/** @returns {SignedIn | undefined} */
function signedIn() {
  const kept = sessionStorage.getItem(storage_key)
  return kept ? JSON.parse(kept) : undefined
}

function forgetUser() {
  sessionStorage.removeItem(storage_key)
}

// Signing in

/** @param {string} [reason] */
function askToSignIn(reason) {
  announce(reason)
  field('password').value = ''
  askForCode(false)
  show('sign-in', field('email').value ? 'password' : 'email')
}

/** @param {boolean} wanted */
function askForCode(wanted) {
  element('second-factor').hidden = !wanted
  field('totp-code').required = wanted
  field('totp-code').value = ''
}

/** @param {SubmitEvent} event */
async function signIn(event) {
  event.preventDefault()
  const wants_code = !element('second-factor').hidden
  const empty = ['email', 'password', ...(wants_code ? ['totp-code'] : [])].find((id) => !field(id).value.trim())
  if (empty) return complain(empty, 'Fill in every field.')
  announce()
  setBusy(true)
  const [email, password, totp_code] = [field('email').value.trim(), field('password').value, field('totp-code').value]
  const reply = await call('/auth/login', {
    body: { email, password, ...(wants_code && { totp_code: totp_code.trim() }) },
  })
  setBusy(false)
  if (!reply.ok) return explainLogin(reply)
  field('password').value = ''
  const { token, user } = /** @type {Login} */ (reply.body)
  sessionStorage.setItem(storage_key, JSON.stringify({ token, username: user.username }))
  return readRequest()
}

/** @param {Reply} reply */
function explainLogin(reply) {
  const { error } = reply.body
  if (error === 'totp_required') {
    askForCode(true)
    announce()
    return field('totp-code').focus()
  }
  if (error === 'invalid_totp_code') askForCode(true)
  return complain(error === 'invalid_totp_code' ? 'totp-code' : 'password', sentence(reply))
}

/** @param {string} id @param {string} text */
function complain(id, text) {
  announce(text)
  field(id).setAttribute('aria-invalid', 'true')
  field(id).focus()
}

// The request

/** Reads what the app asks for, and goes on as far as can be without the user. */
async function readRequest() {
  const user = signedIn()
  if (!user) return askToSignIn()
  wait('Reading what the app asks for.')
  const reply = await call(`/oauth/authorize/request${query}`, user)
  if (reply.status === 401) return expireSignIn()
  if (!reply.ok) return showProblem(reply)
  const request = /** @type {Request} */ (reply.body)
  if (!request.consent_needed) return allow(user, request)
  return showConsent(user, request)
}

function expireSignIn() {
  forgetUser()
  askToSignIn('Your sign-in is over. Sign in again to go on.')
}

/** @param {SignedIn} user @param {Request} request */
function showConsent(user, request) {
  const { app, redirect_host, scopes } = request
  announce()
  element('app-name').textContent = app.app_name
  write('app-description', app.app_description)
  showLogo(app)
  element('app-owner').textContent = app.owner_username
  showWebsite(app.website_url)
  showAge(app.inserted_at)
  element('redirect-host').textContent = redirect_host
  element('scopes').replaceChildren(...scopes.map(scopeItem))
  element('account-text').textContent = `Signed in as ${user.username}.`
  element('allow').onclick = () => allow(user, request)
  element('deny').onclick = () => leave(request, { error: 'access_denied' })
  show('consent')
}

/** @param {Request['scopes'][number]} scope */
function scopeItem({ scope, grants }) {
  const item = document.createElement('li')
  const name = document.createElement('code')
  name.textContent = scope
  item.append(grants, name)
  return item
}

/** The app's first letter stands there until its logo has come, and where it has none. @param {Request['app']} app */
function showLogo({ app_name, logo_url }) {
  const logo = /** @type {HTMLImageElement} */ (element('app-logo'))
  element('app-initial').textContent = [...app_name][0]?.toUpperCase() ?? ''
  logo.hidden = true
  logo.referrerPolicy = 'no-referrer'
  logo.onload = () => (logo.hidden = false)
  if (logo_url?.startsWith('https://')) logo.src = logo_url
}

/** @param {string | null} website_url */
function showWebsite(website_url) {
  const shown = website_url !== null && /^https?:\/\//i.test(website_url)
  element('website-row').hidden = !shown
  if (!shown) return
  const link = /** @type {HTMLAnchorElement} */ (element('app-website'))
  link.href = website_url
  link.textContent = website_url
}

/** @param {string} inserted_at */
function showAge(inserted_at) {
  const days = Math.max(0, Math.floor((Date.now() - Date.parse(inserted_at)) / 86_400_000))
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  const age = /** @type {HTMLTimeElement} */ (element('app-age'))
  age.dateTime = inserted_at
  age.title = new Date(inserted_at).toLocaleDateString('en', { dateStyle: 'long' })
  age.textContent =
    days < 60
      ? relative.format(-days, 'day')
      : days < 730
        ? relative.format(-Math.floor(days / 30), 'month')
        : relative.format(-Math.floor(days / 365), 'year')
}

// The answer

/** @param {SignedIn} user @param {Request} request */
async function allow(user, request) {
  wait(`Taking you back to ${request.app.app_name}.`)
  const reply = await call(`/oauth/authorize${query}`, user)
  if (reply.status === 401) return expireSignIn()
  if (!reply.ok) return showProblem(reply)
  return leave(request, { code: reply.body.code ?? '' })
}

/**
 * Sends the browser to the app, with `state` only if the app sent one. The address is joined as text: parsing it would
 * rewrite what the app registered.
 * @param {Request} request
 * @param {Record<string, string>} answer
 */
function leave({ app, redirect_uri, iss }, answer) {
  wait(`Taking you back to ${app.app_name}.`)
  const state = new URLSearchParams(query).get('state')
  const parameters = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss })
  // In place of this page: "back" from the app must not lead here and straight on to the app again.
  location.replace(redirect_uri + (redirect_uri.includes('?') ? '&' : '?') + parameters)
}

// Problems

/** @param {Reply} reply */
function showProblem(reply) {
  const { status, body } = reply
  const told = advice[/** @type {keyof typeof advice} */ (body.error)]
  announce()
  element('problem-title').textContent = told ? 'This link does not work' : 'That did not work'
  write(
    'problem-message',
    body.fields ? 'The request lacks something, or has it in a form that cannot be read:' : sentence(reply),
  )
  const faults = (body.fields ?? []).map(faultItem)
  element('problem-fields').replaceChildren(...faults)
  element('problem-fields').hidden = faults.length === 0
  element('advice').hidden = !told
  element('advice-text').textContent = told ?? ''
  showWhatWasSent(Boolean(told))
  element('retry').hidden = Boolean(told) && status !== 403
  show('problem')
}

/** @param {Fault} fault */
function faultItem({ path, message }) {
  const item = document.createElement('li')
  const name = document.createElement('code')
  name.textContent = path
  item.append(name, ` ${message}`)
  return item
}

/** The request as it came, so that the developer can compare it with what is registered. @param {boolean} shown */
function showWhatWasSent(shown) {
  const rows = [...new URLSearchParams(query)].map(([name, value]) => {
    const row = document.createElement('div')
    const term = document.createElement('dt')
    const text = document.createElement('dd')
    term.textContent = name
    text.textContent = value
    row.append(term, text)
    return row
  })
  element('sent-parameters').replaceChildren(...rows)
  element('sent').hidden = !shown || rows.length === 0
}

// Beginning

function switchAccount() {
  const user = signedIn()
  forgetUser()
  field('email').value = ''
  askToSignIn()
  if (user) void call('/auth/logout', { token: user.token, body: {} })
}

element('sign-in-form').onsubmit = signIn
element('switch-account').onclick = switchAccount
element('retry').onclick = readRequest
// Who comes back by the back button finds the page as it was left: begin again.
addEventListener('pageshow', (event) => {
  if (event.persisted) void readRequest()
})
void readRequest()
