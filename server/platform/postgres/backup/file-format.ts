/**
 * The file of a backup: gzip over a first line, then frames. A frame is its type (1 byte), the length of its content (4
 * bytes, big-endian) and the content.
 *
 *     PLAZA BACKUP\n   H header   ( T table   D rows …   E rows and SHA-256 of the table )…   Z totals and SHA-256 of the whole
 *
 * T, E and Z are JSON. H follows its own SHA-256, because the header is used before the end is read. D is PostgreSQL's
 * text format of COPY, which every major version reads. The SHA-256 of the whole covers all H, T and E frames, and with
 * them, through the tables' checksums, every row.
 */
import { createHash } from 'node:crypto'

export const format_version = 1
const first_line = Buffer.from('PLAZA BACKUP\n')
/** More than a writer produces. A damaged length must not allocate gigabytes. */
const frame_bytes_max = 64 * 1_048_576

/** A key of SECRET_KEYS that stored values need. */
export interface NeededKey {
  fingerprint: string
  /** The values that need it: `2 two-factor secrets`. */
  needed_by: string[]
}

export interface Sequence {
  column: string
  last_value: string
}

export interface TableHeader {
  name: string
  columns: string[]
  sequences: Sequence[]
}

export interface BackupHeader {
  format: number
  plaza_version: string
  postgres_version: string
  made_at: string
  /** The applied migrations in their order. */
  migrations: { name: string; checksum: string }[]
  /** Null if an old schema does not record the keys of its values. */
  keys: NeededKey[] | null
  tables: TableHeader[]
  /** Tables whose rows are not in the file. */
  left_out: string[]
}

export interface BackupTotals {
  tables: number
  rows: number
  /** Bytes of rows before compression. */
  bytes: number
}

interface TableEnd {
  rows: number
  sha256: string
}

interface Trailer extends BackupTotals {
  sha256: string
}

type FrameType = 'H' | 'T' | 'D' | 'E' | 'Z'

/** Builds the frames of a file, in the order of the calls. */
export class FrameWriter {
  readonly totals: BackupTotals = { tables: 0, rows: 0, bytes: 0 }
  private readonly whole = createHash('sha256')
  private table = createHash('sha256')

  header(header: BackupHeader): Buffer {
    const json = toJson(header)
    const content = Buffer.concat([Buffer.from(sumOf(json)), json])
    this.whole.update(content)
    return Buffer.concat([first_line, frame('H', content)])
  }

  beginTable(name: string): Buffer {
    this.table = createHash('sha256')
    this.totals.tables++
    return this.counted('T', { name })
  }

  rows(chunk: Buffer): [head: Buffer, chunk: Buffer] {
    this.table.update(chunk)
    this.totals.bytes += chunk.length
    return [frameHead('D', chunk.length), chunk]
  }

  endTable(rows: number): Buffer {
    this.totals.rows += rows
    return this.counted('E', { rows, sha256: this.table.digest('hex') } satisfies TableEnd)
  }

  trailer(): Buffer {
    return frame('Z', toJson({ ...this.totals, sha256: this.whole.digest('hex') } satisfies Trailer))
  }

  private counted(type: FrameType, content: object): Buffer {
    const json = toJson(content)
    this.whole.update(json)
    return frame(type, json)
  }
}

const sumOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const sum_length = 64
const toJson = (content: object) => Buffer.from(JSON.stringify(content))
const frame = (type: FrameType, content: Buffer) => Buffer.concat([frameHead(type, content.length), content])

function frameHead(type: FrameType, length: number) {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(length, 1)
  return head
}

/** The file is not a backup, is damaged or incomplete, or is of another version. The message names the file. */
export class BackupFileError extends Error {
  override name = 'BackupFileError'
}

/** A table that is being read. Its rows must be read once, to the end, before the next table. */
export interface TableReader {
  name: string
  rows(): AsyncGenerator<Buffer>
  /** The number of rows that the file declares; known after all rows were read. */
  end(): TableEnd
}

/** Reads and fully checks a file: every check of `file-format.ts` has passed before `nextTable` returns undefined. */
export class BackupReader {
  private readonly name: string
  private readonly source: AsyncIterator<Buffer>
  private readonly whole = createHash('sha256')
  private buffer: Buffer = Buffer.alloc(0)
  /** The totals read so far. */
  readonly totals: BackupTotals = { tables: 0, rows: 0, bytes: 0 }

  private constructor(source: AsyncIterable<Buffer>, name: string) {
    this.source = source[Symbol.asyncIterator]()
    this.name = name
  }

  /** Reads the header. Fails with `BackupFileError` if the file is not a backup of Plaza or has an unknown format. */
  static async open(source: AsyncIterable<Buffer>, name: string) {
    const reader = new BackupReader(source, name)
    const line = await reader.read(first_line.length, 'maybe foreign')
    if (!line.equals(first_line)) throw reader.foreign()
    const header = await reader.readHeader()
    if (header.format !== format_version)
      throw new BackupFileError(
        `${name} has the format ${header.format}, and this version of Plaza reads the format ${format_version}: use the version that made it, ${header.plaza_version}.`,
      )
    return { header, reader }
  }

  /** The next table; undefined after the last one, when the complete file has been checked. */
  async nextTable(): Promise<TableReader | undefined> {
    const { type, content } = await this.frame()
    if (type === 'Z') return this.checkTrailer(content)
    if (type !== 'T') throw this.damaged('it has parts in a wrong order')
    this.whole.update(content)
    this.totals.tables++
    const { name } = this.parse<{ name: string }>(content)
    let end: TableEnd | undefined
    const setEnd = (value: TableEnd) => (end = value)
    return {
      name,
      rows: () => this.rowsOf(name, setEnd),
      end: () => {
        if (!end) throw new Error(`the rows of ${name} were not read to the end`)
        return end
      },
    }
  }

  private async *rowsOf(table: string, setEnd: (end: TableEnd) => void) {
    const sum = createHash('sha256')
    for (;;) {
      const { type, content } = await this.frame()
      if (type === 'D') {
        sum.update(content)
        this.totals.bytes += content.length
        yield content
      } else if (type === 'E') {
        this.whole.update(content)
        const end = this.parse<TableEnd>(content)
        if (end.sha256 !== sum.digest('hex')) throw this.damaged(`the checksum of the table ${table} is wrong`)
        this.totals.rows += end.rows
        return setEnd(end)
      } else throw this.damaged('it has parts in a wrong order')
    }
  }

  private async checkTrailer(content: Buffer) {
    const { sha256, ...totals } = this.parse<Trailer>(content)
    const { tables, rows, bytes } = this.totals
    if (sha256 !== this.whole.digest('hex')) throw this.damaged('the checksum of the whole is wrong')
    if (totals.tables !== tables || totals.rows !== rows || totals.bytes !== bytes)
      throw this.damaged('its totals are wrong')
    if (this.buffer.length > 0 || (await this.more())) throw this.damaged('something follows its end')
    return undefined
  }

  private async frame() {
    const head = await this.read(5)
    const type = head.toString('latin1', 0, 1)
    const length = head.readUInt32BE(1)
    if (!'HTDEZ'.includes(type) || length > frame_bytes_max) throw this.damaged('it has parts of no known kind')
    return { type, content: await this.read(length) }
  }

  private async readHeader() {
    const { type, content } = await this.frame()
    if (type !== 'H') throw this.damaged('it has parts in a wrong order')
    this.whole.update(content)
    const json = content.subarray(sum_length)
    if (content.toString('latin1', 0, sum_length) !== sumOf(json))
      throw this.damaged('the checksum of its header is wrong')
    return this.parse<BackupHeader>(json)
  }

  private parse<Content>(content: Buffer): Content {
    try {
      return JSON.parse(content.toString()) as Content
    } catch {
      throw this.damaged('a part of it cannot be read')
    }
  }

  private async read(length: number, start?: 'maybe foreign'): Promise<Buffer> {
    const parts = [this.buffer]
    let size = this.buffer.length
    while (size < length) {
      const chunk = await this.more()
      if (!chunk) throw start ? this.foreign() : this.cut()
      parts.push(chunk)
      size += chunk.length
    }
    const joined = parts.length === 1 ? this.buffer : Buffer.concat(parts, size)
    this.buffer = joined.subarray(length)
    return joined.subarray(0, length)
  }

  /** The next bytes of the file, decompressed; undefined at its end. */
  private async more(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.source.next()
      if (done) return undefined
      return value
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // zlib's codes for data that is not gzip or fails its checksum, and for data that ends too early.
      if (code === 'Z_DATA_ERROR')
        throw message === 'incorrect header check' ? this.foreign() : this.damaged('it cannot be decompressed')
      if (code === 'Z_BUF_ERROR') throw this.cut()
      throw error
    }
  }

  private readonly foreign = () => new BackupFileError(`${this.name} is not a backup of Plaza.`)
  private readonly cut = () => new BackupFileError(`${this.name} is cut off: its end is missing. Use another backup.`)
  private readonly damaged = (why: string) =>
    new BackupFileError(`${this.name} is damaged: ${why}. Use another backup.`)
}
