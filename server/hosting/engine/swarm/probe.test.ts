import { expect, test } from 'vitest'
import { listen_port } from '../probe/targets.ts'
import { isOfOtherNode } from './probe.ts'

test('all nodes have the same bridge addresses, so a node is judged only by those of its own listeners', () => {
  const on_bridges = [
    { node_id: 'one', address: '172.18.0.3' },
    { node_id: 'two', address: '172.18.0.3' },
    { node_id: 'two', address: '172.18.0.4' },
  ]
  const at = (address: string, what: 'app' | 'host' = 'app', port = listen_port) => ({ what, address, port })
  const judged = (finding: ReturnType<typeof at>) =>
    ['one', 'two', 'three'].filter((node) => !isOfOtherNode(finding, node, on_bridges))
  expect(judged(at('172.18.0.3'))).toEqual(['one', 'two'])
  expect(judged(at('172.18.0.4'))).toEqual(['two'])
  // An address in a network of the Swarm, at another port, or of the host itself is the same target for all nodes.
  const all = ['one', 'two', 'three']
  expect(judged(at('10.240.1.7'))).toEqual(all)
  expect(judged(at('172.18.0.4', 'app', listen_port + 1))).toEqual(all)
  expect(judged(at('172.18.0.4', 'host'))).toEqual(all)
})
