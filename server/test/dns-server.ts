import { createSocket, type RemoteInfo } from 'node:dgram'
import { atEnd } from './at-end.ts'

/** A DNS server with TXT and A records. */
export interface TestDns {
  /** `address:port`, the format of the setting DNS_SERVERS. */
  address: string
  /** TXT records by name. A name without TXT and A records does not exist. */
  records: Map<string, string[]>
  /** IPv4 addresses by name, one list per response in turn; the last list is repeated. */
  addresses: Map<string, string[][]>
  /** The queried names, in order. */
  queried: string[]
  /** While true, queries get no response. */
  silent: boolean
}

const address_type = 1
const txt_type = 16
const internet_class = 1

/** Starts a DNS server on a free port; stopped after the test file. */
export async function startTestDns(): Promise<TestDns> {
  const socket = createSocket('udp4')
  const dns: TestDns = { address: '', records: new Map(), addresses: new Map(), queried: [], silent: false }
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = parseQuery(query)
    dns.queried.push(name)
    if (!dns.silent)
      socket.send(responseTo(query, end, recordsOf(dns, name.toLowerCase(), type)), from.port, from.address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  dns.address = `127.0.0.1:${socket.address().port}`
  atEnd(() => socket.close())
  return dns
}

/** The records of a name and type; undefined if the name does not exist. */
function recordsOf({ records, addresses }: TestDns, name: string, type: number): Buffer[] | undefined {
  const [texts, responses] = [records.get(name), addresses.get(name)]
  if (type === txt_type && texts) return texts.map((text) => recordOf(txt_type, textData(text)))
  if (type !== address_type || !responses) return texts || responses ? [] : undefined
  const [current = []] = responses.length > 1 ? responses.splice(0, 1) : responses
  return current.map((address) => recordOf(address_type, Buffer.from(address.split('.').map(Number))))
}

/** The name and type of a query, and the offset of its end (RFC 1035 §4.1). */
function parseQuery(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function responseTo(query: Buffer, end: number, records: Buffer[] | undefined) {
  const head = Buffer.from(query.subarray(0, 12))
  // Response, authoritative, recursion available; 3: NXDOMAIN.
  head.writeUInt16BE(0x8580 | (records === undefined ? 3 : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records?.length ?? 0, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, query.subarray(12, end), ...(records ?? [])])
}

/** The data of a TXT record: character strings of 40 bytes each (RFC 1035 allows 255). */
function textData(text: string) {
  const bytes = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += 40) {
    const chunk = bytes.subarray(at, at + 40)
    strings.push(Buffer.from([chunk.length]), chunk)
  }
  return Buffer.concat(strings)
}

/** One record. Its name is a pointer to the query's. */
function recordOf(type: number, data: Buffer) {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(internet_class, 4)
  head.writeUInt32BE(1, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
