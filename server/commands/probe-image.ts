import { once } from 'node:events'
import { probeArchive } from '../hosting/engine/probe/image.ts'
import { defineCommand, exit_codes } from './command.ts'

/** `probe-image`: the probe's image, for Swarm nodes whose sockets no worker can reach. */
export const probeImage = defineCommand({
  summary: 'writes the image of the isolation probe to the standard output, for docker load',
  help: [
    'A few kilobytes, for x86-64 and ARM64. A Swarm takes images from registries only: load it once on each node whose socket is not in\n' +
      'CONTAINER_HOSTS, so that its isolation can be checked: npm run -s admin -- probe-image | ssh NODE docker load',
  ],
  async run() {
    if (!process.stdout.write(probeArchive())) await once(process.stdout, 'drain')
    return exit_codes.done
  },
})
