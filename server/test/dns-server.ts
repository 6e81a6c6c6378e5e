import { createSocket, type RemoteInfo } from 'node:dgram'
import { afterAll } from 'vitest'

/** A DNS server that knows TXT records, and addresses of IPv4. */
export interface TestDns {
  /** `address:port`, as the setting wants it. */
  address: string
  /** TXT records by name; a name that is neither here nor below does not exist. */
  records: Map<string, string[]>
  /** IPv4 addresses by name, for one answer each in turn; the last answer stays. */
  addresses: Map<string, string[][]>
  /** The names that were asked for, in order. */
  asked: string[]
  /** While true, questions stay without an answer. */
  silent: boolean
}

const address_type = 1
const txt_type = 16
const internet_class = 1

/** Starts a DNS server on a free port; it ends with the test file. */
export async function startTestDns(): Promise<TestDns> {
  const socket = createSocket('udp4')
  const dns: TestDns = { address: '', records: new Map(), addresses: new Map(), asked: [], silent: false }
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const { name, type, end } = nameIn(question)
    dns.asked.push(name)
    if (!dns.silent)
      socket.send(answerTo(question, end, recordsOf(dns, name.toLowerCase(), type)), from.port, from.address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  dns.address = `127.0.0.1:${socket.address().port}`
  afterAll(() => socket.close())
  return dns
}

/** What the server has of this type under the name; undefined where there is no such name. */
function recordsOf({ records, addresses }: TestDns, name: string, type: number): Buffer[] | undefined {
  const [texts, turns] = [records.get(name), addresses.get(name)]
  if (type === txt_type && texts) return texts.map((text) => recordOf(txt_type, textData(text)))
  if (type !== address_type || !turns) return texts || turns ? [] : undefined
  const [now = []] = turns.length > 1 ? turns.splice(0, 1) : turns
  return now.map((address) => recordOf(address_type, Buffer.from(address.split('.').map(Number))))
}

/** The name and type that a question asks for, and where the question ends (RFC 1035 §4.1). */
function nameIn(question: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: question.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(question: Buffer, end: number, records: Buffer[] | undefined) {
  const head = Buffer.from(question.subarray(0, 12))
  // An answer, with recursion at hand; 3: there is no such name.
  head.writeUInt16BE(0x8580 | (records === undefined ? 3 : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records?.length ?? 0, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, question.subarray(12, end), ...(records ?? [])])
}

/** The text of a TXT record in pieces of at most 255 bytes. */
function textData(text: string) {
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += 40) {
    const piece = bytes.subarray(at, at + 40)
    pieces.push(Buffer.from([piece.length]), piece)
  }
  return Buffer.concat(pieces)
}

/** One record for the name of the question. */
function recordOf(type: number, data: Buffer) {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(internet_class, 4)
  head.writeUInt32BE(1, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
