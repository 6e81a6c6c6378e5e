import { createReadStream, createWriteStream } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { BackupFileError, BackupReader, type BackupHeader, type BackupTotals } from './file-format.ts'

/** The fastest level: a third of the size. Slower levels cost far more time than they save space. */
const gzip_options = { level: 1, chunkSize: 262_144 }
const unfinished_mark = '.unfinished-'

/** A backup under a temporary name: complete and on disk, but not yet at its final path. */
export interface UnfinishedFile {
  path: string
  bytes: number
  /** Gives the file its name. Fails if a file with this name exists. */
  publish(): Promise<void>
  discard(): Promise<void>
}

/** Writes a file beside `path`, readable by its owner only. A failed or interrupted write leaves nothing. */
export async function writeUnfinished(
  path: string,
  frames: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<UnfinishedFile> {
  await refuseExisting(path)
  const unfinished = join(dirname(path), `.${basename(path)}${unfinished_mark}${process.pid}`)
  const discard = () => fs.rm(unfinished, { force: true })
  try {
    // `flush`: on disk before it gets its name.
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(frames, createGzip(gzip_options), file, { signal })
    const { size } = await fs.stat(unfinished)
    return { path: unfinished, bytes: size, discard, publish: () => publish(unfinished, path) }
  } catch (error) {
    await discard()
    throw explain(error, path)
  }
}

/** Unlike a rename, a link does not replace a file. */
async function publish(unfinished: string, path: string) {
  try {
    await fs.link(unfinished, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      // The file system has no links.
      await refuseExisting(path)
      await fs.copyFile(unfinished, path, fs.constants.COPYFILE_EXCL)
    })
    const folder = await fs.open(dirname(path))
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    throw explain(error, path)
  } finally {
    await fs.rm(unfinished, { force: true })
  }
}

async function refuseExisting(path: string) {
  const found = await fs.lstat(path).catch(() => undefined)
  if (found) throw new BackupFileError(`${path} exists already: name a file that does not.`)
}

/** Removes the files of killed backups from this folder. Only for the single writer of the folder. */
export async function removeUnfinished(folder: string) {
  for (const name of await fs.readdir(folder))
    if (name.startsWith('.') && name.includes(unfinished_mark)) await fs.rm(join(folder, name), { force: true })
}

/** Writes a backup to a stream, which stays open. */
export const writeToStream = (stream: NodeJS.WritableStream, frames: AsyncIterable<Buffer>, signal?: AbortSignal) =>
  pipeline(frames, createGzip(gzip_options), stream, { signal, end: false })

/** The decompressed bytes of a backup, from a file or a stream. */
export function openBackupFile(source: string | NodeJS.ReadableStream): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: 262_144 })
  const input: NodeJS.ReadableStream =
    typeof source === 'string' ? createReadStream(source, { highWaterMark: 262_144 }) : source
  input.on('error', (error: Error) => gunzip.destroy(error))
  return input.pipe(gunzip)
}

export interface CheckedFile extends BackupTotals {
  header: BackupHeader
}

/** Reads and checks a whole file. Fails with `BackupFileError`, even if it cannot be read. */
export async function checkBackupFile(path: string, name = path): Promise<CheckedFile> {
  try {
    const { header, reader } = await BackupReader.open(openBackupFile(path), name)
    for (let table = await reader.nextTable(); table; table = await reader.nextTable())
      for await (const chunk of table.rows()) void chunk
    return { header, ...reader.totals }
  } catch (error) {
    throw explain(error, name)
  }
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file or folder ${path}.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder.`,
  EACCES: (path) => `${path} may not be read or written by this user.`,
  EPERM: (path) => `${path} may not be read or written by this user.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  EEXIST: (path) => `${path} exists already: name a file that does not.`,
  ENOSPC: (path) => `The disk of ${dirname(path)} is full: no backup was written.`,
  EDQUOT: (path) => `The disk quota of ${dirname(path)} is used up: no backup was written.`,
  EFBIG: (path) => `${path} would be larger than files may be here: no backup was written.`,
  EIO: (path) => `The disk of ${path} reports an error: no backup was read or written.`,
}

/** A file system error in one sentence; other errors unchanged. */
function explain(error: unknown, path: string): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason && 'syscall' in (error as object) ? new BackupFileError(reason(path), { cause: error }) : error
}
