import { readFile, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

const memory_file_systems = ['tmpfs', 'ramfs']

/**
 * True if data written to a folder outlives the container of this process: the folder, which may not exist yet, is on a mounted volume.
 * False for an in-memory file system. Always true outside of Linux, where it cannot be determined.
 */
export async function isOnVolume(folder: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  return mounts === '' || isVolume(await nearestRealPath(folder), mounts)
}

/** The same for an absolute path and the text of `/proc/self/mountinfo` (proc(5)). */
export function isVolume(path: string, mountinfo: string) {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const fields = line.split(' ')
    const [point, type] = [fields[4], fields[fields.indexOf('-') + 1]]
    return point === undefined || type === undefined ? [] : [{ point: unescape(point), type }]
  })
  const holds = ({ point }: { point: string }) => point === '/' || path === point || path.startsWith(`${point}/`)
  // If several mounts have the same mount point, the last one counts.
  const mount = mounts
    .filter(holds)
    .sort((one, other) => one.point.length - other.point.length)
    .at(-1)
  return mount !== undefined && mount.point !== '/' && !memory_file_systems.includes(mount.type)
}

/** Mountinfo writes spaces and similar characters as octal numbers. */
const unescape = (point: string) =>
  point.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

async function nearestRealPath(path: string): Promise<string> {
  return realpath(path).catch(() => (dirname(path) === path ? path : nearestRealPath(dirname(path))))
}
