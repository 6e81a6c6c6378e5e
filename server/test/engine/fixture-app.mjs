// The program in the test images: a server whose behaviour the image's command selects.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'

const [, , mode = 'echo'] = process.argv
const say = (line) => process.stdout.write(`${line}\n`)
say(`${mode} begins`)
process.stderr.write(`${mode} complains\n`)

process.on('SIGTERM', shutDown)

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    response.writeHead(500).end(String(error))
  })
})

function shutDown() {
  say('SIGTERM')
  server.close(() => process.exit(0))
  server.closeIdleConnections()
  setTimeout(() => process.exit(0), 8_000).unref()
  if (!server.listening) process.exit(0)
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://app')
  const routes = {
    '/env': showEnv,
    '/file': showFile,
    '/connect': tryConnect,
    '/wait': wait,
    '/fork': fork,
    '/exit': exit,
    '/say': sayIt,
    '/print': print,
    '/flood': flood,
  }
  await (routes[url.pathname] ?? echo)({ request, response, url, query: url.searchParams })
}

const json = (response, value) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-app-version': process.env.APP_VERSION ?? '' })
  response.end(JSON.stringify(value))
}

/** Returns the request, with raw headers. */
async function echo({ request, response }) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url, rawHeaders } = request
  json(response, {
    version: process.env.APP_VERSION ?? null,
    method,
    url,
    headers: rawHeaders,
    body: Buffer.concat(chunks).toString(),
  })
}
const showEnv = ({ response }) => json(response, process.env)
const showFile = async ({ response, query }) => json(response, await readFile(query.get('path') ?? '', 'utf8'))
function tryConnect({ response, query }) {
  const socket = connect({
    host: query.get('host'),
    port: Number(query.get('port')),
    timeout: 700,
  })
  const report = (outcome) => {
    socket.destroy()
    json(response, outcome)
  }
  socket
    .once('connect', () => report('connected'))
    .once('timeout', () => report('timeout'))
    .once('error', (error) => report(error.code))
}
function wait({ response, query }) {
  setTimeout(() => json(response, { version: process.env.APP_VERSION ?? null }), Number(query.get('ms') ?? 1000))
}
/** Allocates memory without limit. */
function hog() {
  const buffers = []
  setInterval(() => buffers.push(Buffer.alloc(16 * 1024 * 1024, 1)), 10)
}
/** Starts processes until that fails; returns their number and the error. */
async function fork({ response }) {
  const children = []
  let failure = null
  while (failure === null && children.length < 2_000) {
    failure = await new Promise((done) => {
      const child = spawn('/bin/busybox', ['sleep', '60'], { stdio: 'ignore' })
      child.once('spawn', () => done(null)).once('error', (error) => done(error.code))
      children.push(child)
    })
  }
  for (const child of children) child.kill('SIGKILL')
  json(response, { begun: children.length, failure })
}
function sayIt({ response, query }) {
  say(query.get('text').repeat(Number(query.get('times') ?? 1)))
  json(response, 'said')
}
/** Writes `count` numbered lines at this interval in milliseconds; with `both`, odd ones go to the other stream. */
async function print({ response, query }) {
  const [tag, count, every_ms] = [query.get('tag'), Number(query.get('count')), Number(query.get('every_ms') ?? 0)]
  json(response, 'begun')
  for (let number = 1; number <= count; number++) {
    const stream = query.has('both') && number % 2 === 1 ? process.stderr : process.stdout
    stream.write(`${tag} ${number}\n`)
    if (every_ms > 0) await new Promise((next) => setTimeout(next, every_ms))
  }
}
/** Writes this many lines as fast as possible. */
function flood({ response, query }) {
  const lines = Number(query.get('lines'))
  let number = 0
  const write = () => {
    let goes_on = true
    while (goes_on && number < lines) goes_on = process.stdout.write(`flood ${++number}\n`)
    if (number < lines) process.stdout.once('drain', write)
    else say(`flooded ${number}`)
  }
  json(response, 'begun')
  write()
}
const exit = ({ query }) => process.exit(Number(query.get('code') ?? 1))

const listen = () => server.listen(Number(process.env.PORT ?? 8080), () => say('listening'))
const modes = {
  nolisten: () => setInterval(() => {}, 1_000_000),
  slow: () => setTimeout(listen, Number(process.env.SLOW_SECONDS) * 1000),
  oom: hog,
}
;(modes[mode] ?? listen)()
