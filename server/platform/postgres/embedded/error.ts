export const remedy = 'set DATA_DIR to another folder, or DATABASE_URL to your own PostgreSQL server'

/** An error in one sentence for the person who started the service: what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

const errno_descriptions: Record<string, string> = {
  EACCES: 'cannot be used by this process, which lacks the permission',
  EPERM: 'cannot be used by this process, which lacks the permission',
  EROFS: 'is on a read-only file system',
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'leads through a file, which is not a folder',
  ENOSPC: 'is on a full disk',
}

/** Converts a system error of a start to an `EmbeddedPostgresError`; other values are returned unchanged. */
export function toEmbeddedPostgresError(error: unknown, data_dir: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error
  const path = 'path' in error && typeof error.path === 'string' ? error.path : data_dir
  const subject = path.startsWith(data_dir) || data_dir.startsWith(path) ? `The data folder ${data_dir}` : path
  const known = 'code' in error && typeof error.code === 'string' ? errno_descriptions[error.code] : undefined
  const problem = known ?? `does not work as a data folder (${error.message})`
  const uid = process.getuid?.()
  return new EmbeddedPostgresError(`${subject} ${problem} (user id ${uid}): ${remedy}.`, { cause: error })
}

/** True for a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
