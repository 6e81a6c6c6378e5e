import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { checkBackupFile } from './file.ts'
import { FrameWriter, type BackupHeader } from './file-format.ts'

const folder = await mkdtemp(join(tmpdir(), 'plaza-format-'))
afterAll(() => rm(folder, { recursive: true }))

const header: BackupHeader = {
  format: 1,
  plaza_version: '1.0.0',
  postgres_version: '18.4',
  made_at: '2026-01-01T00:00:00.000Z',
  migrations: [{ name: '0001_a.sql', checksum: 'aa' }],
  keys: [],
  tables: [{ name: 'users', columns: ['id'], sequences: [] }],
  left_out: [],
}

function someFile(changed: Partial<BackupHeader> = {}) {
  const writer = new FrameWriter()
  const rows = Array.from({ length: 200 }, (_, at) => `row ${at} ${'x'.repeat(at % 17)}\n`)
  return Buffer.concat([
    writer.header({ ...header, ...changed }),
    writer.beginTable('users'),
    ...rows.flatMap((row) => writer.rows(Buffer.from(row))),
    writer.endTable(rows.length),
    writer.trailer(),
  ])
}

async function check(bytes: Buffer) {
  const path = join(folder, 'some.backup')
  await writeFile(path, bytes)
  return checkBackupFile(path, 'some.backup')
}
const refusal = (bytes: Buffer) =>
  check(bytes).then(
    () => 'accepted',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test('a complete file is accepted, with its header and totals', async () => {
  expect(await check(gzipSync(someFile()))).toMatchObject({ header, tables: 1, rows: 200 })
})

test('a changed byte anywhere in the content is found by the check of its part', async () => {
  const plain = someFile()
  const messages = new Set<string>()
  for (let at = 0; at < plain.length; at += 23) {
    const damaged = Buffer.from(plain)
    damaged[at]! ^= 0x20
    const message = await refusal(gzipSync(damaged))
    expect(message, `byte ${at}`).toMatch(
      /^BackupFileError: some\.backup (is damaged: .*\. Use another backup|is cut off: its end is missing\. Use another backup|is not a backup of Plaza)\.$/,
    )
    messages.add(message)
  }
  expect([...messages]).toEqual(
    expect.arrayContaining([
      'BackupFileError: some.backup is damaged: the checksum of the table users is wrong. Use another backup.',
      'BackupFileError: some.backup is damaged: the checksum of its header is wrong. Use another backup.',
      'BackupFileError: some.backup is damaged: the checksum of the whole is wrong. Use another backup.',
    ]),
  )
})

test('a changed byte of the compressed file is found: at its start, in its middle, at its end', async () => {
  const packed = gzipSync(someFile())
  for (const at of [0, 1, 12, packed.length >> 1, packed.length - 8, packed.length - 1]) {
    const damaged = Buffer.from(packed)
    damaged[at]! ^= 0xff
    expect(await refusal(damaged), `byte ${at} of ${packed.length}`).toMatch(
      /^BackupFileError: some\.backup is (damaged|cut off|not a backup)/,
    )
  }
})

test('a file that was cut off anywhere is refused', async () => {
  const [plain, packed] = [someFile(), gzipSync(someFile())]
  for (let length = 0; length < plain.length; length += 151)
    expect(await refusal(gzipSync(plain.subarray(0, length))), `${length}`).toMatch(/is (cut off|not a backup)/)
  for (let length = 0; length < packed.length; length += 71)
    expect(await refusal(packed.subarray(0, length)), `${length}`).toMatch(/is (cut off|not a backup)/)
})

test('data after the end is refused', async () => {
  expect(await refusal(gzipSync(Buffer.concat([someFile(), Buffer.from('x')])))).toBe(
    'BackupFileError: some.backup is damaged: something follows its end. Use another backup.',
  )
})

test('foreign files are refused: text, another gzip, a dump', async () => {
  for (const foreign of [
    Buffer.from('hello'),
    gzipSync('hello, this is a text of another program'),
    Buffer.from('PGDMP...'),
    gunzipSync(gzipSync(someFile())),
  ])
    expect(await refusal(foreign)).toBe('BackupFileError: some.backup is not a backup of Plaza.')
})

test('a file of a later format is refused, with the version that made it', async () => {
  expect(await refusal(gzipSync(someFile({ format: 2, plaza_version: '9.0.0' })))).toBe(
    'BackupFileError: some.backup has the format 2, and this version of Plaza reads the format 1: use the version that made it, 9.0.0.',
  )
})

test('a missing file, or a path that is not a file, is named', async () => {
  const message = (path: string) => checkBackupFile(path).catch((error: Error) => error.message)
  expect(await message('/nowhere/x.backup')).toBe('There is no file or folder /nowhere/x.backup.')
  expect(await message(folder)).toBe(`${folder} is a folder, not a file.`)
})
