import { expect, test } from 'vitest'
import { isOnVolume, isVolume } from './volumes.ts'

const mountinfo = [
  '1 0 0:50 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a:/b',
  '2 1 0:53 / /proc rw,nosuid - proc proc rw',
  '3 1 0:60 / /tmp rw - tmpfs tmpfs rw',
  '4 1 254:1 /docker/volumes/plaza/_data /data rw,relatime - ext4 /dev/vda rw',
  '5 4 0:61 / /data/cache rw - tmpfs tmpfs rw',
  '6 1 254:1 /srv /mnt/my\\040disk rw,relatime shared:7 - overlay none rw',
  '7 1 254:1 / /over rw - ext4 /dev/vda rw',
  '8 1 0:62 / /over rw - tmpfs tmpfs rw',
  '',
].join('\n')

test.each([
  ['/data', true],
  ['/data/postgres', true],
  ['/mnt/my disk/plaza', true],
  ['/', false],
  ['/app/data', false],
  ['/database', false],
  ['/tmp/plaza', false],
  ['/data/cache/x', false],
  ['/over', false],
])('%s outlives the container: %s', (path, expected) => {
  expect(isVolume(path, mountinfo)).toBe(expected)
})

test('a folder that does not exist yet is located where its parent is', async () => {
  if (process.platform === 'linux') expect(await isOnVolume('/proc/no/such/folder')).toBe(true)
  expect(await isOnVolume('/no-such-folder/data')).toBe(process.platform !== 'linux')
})
