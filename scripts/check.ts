// npm run check: all static checks, the longest first.
import { printCode } from './print-code.ts'
import { runSteps } from './steps.ts'

printCode()
await runSteps([
  { name: 'lint', command: ['oxlint', '--type-aware'] },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'web types', command: ['tsc', '-p', 'web/tsconfig.json', '--noEmit'] },
  { name: 'unused', command: ['knip', '--no-progress'] },
  { name: 'printed', command: ['tsx', 'scripts/print.ts', '--check'] },
  { name: 'layers', command: ['tsx', 'scripts/check-layers.ts'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
])
