// Plays the flow in Node: `node run.js <settings as JSON>`.
import { allow, begin, play } from './flow.js'

const settings = JSON.parse(process.argv[2])
const { address, pending } = await begin(settings)
process.stdout.write(JSON.stringify(await play(settings, await allow(settings, address), pending)))
