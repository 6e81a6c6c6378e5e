// Reports every forbidden import and every import cycle (ARCHITECTURE.md, Layers).
import { layerErrors, readSources } from './layers.ts'

const errors = layerErrors(await readSources())
for (const error of errors) console.error(error)
process.exitCode = errors.length > 0 ? 1 : 0
