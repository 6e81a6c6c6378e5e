import { join } from 'node:path'
import type { EnvReader } from '../platform/env-reader.ts'
import { code_root } from '../platform/package.ts'

export const readLearningSettings = (read: EnvReader) => ({
  learning_dir: read.text('LEARNING_DIR', join(code_root, 'content/learning')),
})
