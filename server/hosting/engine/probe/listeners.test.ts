import { expect, test } from 'vitest'
import { parseListeners } from './listeners.ts'

test('D-126: listeners are read from the kernel’s tables, without connections and without the engine’s name server', () => {
  const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0B00007F:9C41 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
   2: 00000000:0050 00000000:0000 0A 00000000:0000001F 00:00000000 00000000     0        0 3 1 0 100 0 0 10 0
   3: 0200F00A:0050 0100F00A:C350 01 00000000:00000000 00:00000000 00000000     0        0 4 1 0 20 4 30 10 -1
`
  const tcp6 = `  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 00000000000000000000000001000000:0BB9 00000000000000000000000000000000:0000 0A 00000000:00000000
   2: B80D0120000000000000000001000000:0BBA 00000000000000000000000000000000:0000 0A 00000000:00000000
`
  expect(parseListeners(tcp + tcp6)).toEqual([
    { address: '0.0.0.0', port: 80, waiting: 31 },
    { address: '::', port: 3000, waiting: 0 },
    { address: '::1', port: 3001, waiting: 0 },
    { address: '2001:db8::1', port: 3002, waiting: 0 },
    { address: '127.0.0.1', port: 8080, waiting: 0 },
  ])
  for (const text of ['', 'nonsense', tcp.split('\n')[0]!, '0: 0100007F:1F 0 0A', '0: XX:0050 0 0A'])
    expect(parseListeners(text)).toEqual([])
})
